# Arguments: name and id of the process, its error log, its output log, the line between the parts.
#
# Prints four parts: the log line of the last exit, PM2's message that the process exceeded its
# memory limit, the end of the error log, and the end of the output log. The message is printed only
# if PM2 wrote it between the last two exits: PM2 writes it first and then ends the process, which
# takes many seconds on a busy machine.
#
# Lines of a log before its last rotation are in a second file.
end_of() { for part in "$2.1" "$2"; do tail -c "$1" -- "$part" 2> /dev/null; done; }
end_of 65536 "$HOME/.pm2/pm2.log" |
  exit_text="App [$1:$2] exited with code" limit_text="Process $2 restarted because it exceeds" \
    divider=$5 awk '
      index($0, ENVIRON["limit_text"]) { exceeded = $0 }
      index($0, ENVIRON["exit_text"]) { last_exit = $0; cause = exceeded; exceeded = "" }
      END {
        if (last_exit) print substr(last_exit, 1, 300)
        print ENVIRON["divider"]
        if (cause) print substr(cause, 1, 300)
      }'
for file in "$3" "$4"; do
  echo "$5"
  [ -z "$file" ] || end_of 16384 "$file" | tail -n 40
done
exit 0
