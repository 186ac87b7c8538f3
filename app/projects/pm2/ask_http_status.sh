curl -s -o /dev/null -m 5 -w '%{http_code}' "$1" || true
