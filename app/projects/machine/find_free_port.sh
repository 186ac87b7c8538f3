port=$1
while ss -Hltn "sport = :$port" | grep -q .; do port=$((port + 1)); done
echo "$port"
