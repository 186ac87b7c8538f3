# Script that starts a command. Arguments: marker, folder, seconds until it is killed, whether variables come
# first on standard input, then the command. It prints its process id on stderr, so that a second channel can
# kill it, even a command of root. Then it becomes `timeout`, which leads its own process group and ends it
# even after the connection is lost.
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
