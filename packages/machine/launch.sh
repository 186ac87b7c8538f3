# Starts a command. Arguments: marker, folder, seconds until it is killed (0: never), `env` if standard input starts
# with variables, and the command.
# It prints its process ID on stderr, so that a second channel can kill even a command of root. Then `timeout`
# replaces this script, leads a process group and ends that group, even if the connection is lost.
printf '%s %s\n' "$1" "$$" >&2
if [ -n "$4" ]; then
  while IFS= read -r __line && [ -n "$__line" ]; do
    __line=$(printf '%b.' "$__line")
    export "${__line%.}"
  done
  unset __line
fi
if [ -n "$2" ]; then cd -- "$2" || exit 125; fi
__seconds=$3
shift 4
exec timeout -k 2 "$__seconds" "$@"
