# Arguments: name and id of the process, its error log, its output log, the line between the parts.
log() { tail -c 65536 -- "$HOME/.pm2/pm2.log" 2> /dev/null | grep -F -- "$1" | tail -n 1 | cut -c 1-300; }
log "App [$1:$2] exited with code"
echo "$5"
log "Process $2 restarted because it exceeds"
for file in "$3" "$4"; do
  echo "$5"
  [ -z "$file" ] || tail -c 16384 -- "$file" 2> /dev/null | tail -n 40
done
exit 0
