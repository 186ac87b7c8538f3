# Requests the site from inside the machine until it answers, at most 61 times. Arguments: URL, host name, first HTTP
# status that does not count as an answer.
tries=0
until code=$(curl -s -o /dev/null -m 10 -w '%{http_code}' -H "Host: $2" "$1") && [ "$code" -lt "$3" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then
    [ "${code:-000}" = 000 ] && code='nothing: no server listens there, or it is busy'
    echo "The last HTTP status was $code." >&2
    exit 1
  fi
  sleep 0.5
done
echo "$code"
