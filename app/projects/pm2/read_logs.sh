# Arguments: name and id of the process, its error log, its output log, the line between the parts.
# Lines of a log before its last rotation are in a second file.
end_of() { for part in "$2.1" "$2"; do tail -c "$1" -- "$part" 2> /dev/null; done; }
log() { end_of 65536 "$HOME/.pm2/pm2.log" | grep -F -- "$1" | tail -n 1 | cut -c 1-300; }
log "App [$1:$2] exited with code"
echo "$5"
log "Process $2 restarted because it exceeds"
for file in "$3" "$4"; do
  echo "$5"
  [ -z "$file" ] || end_of 16384 "$file" | tail -n 40
done
exit 0
