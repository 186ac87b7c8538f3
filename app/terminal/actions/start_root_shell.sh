# Arguments: the requested folder, the web root. If neither exists, the shell starts in the home
# folder. Programs cannot detect that the browser's terminal supports UTF-8 and 24-bit colours, so
# the variables say so.
if ! cd -- "$1" 2> /dev/null; then
  printf 'The folder %s does not exist here.\r\n' "$1"
  # shellcheck disable=SC2164 # A shell in another folder is better than none.
  cd -- "$2" 2> /dev/null || cd
fi
export LANG="${LANG:-C.UTF-8}" COLORTERM=truecolor
shell=${SHELL:-bash}
command -v "$shell" > /dev/null || shell="sh"
exec "$shell" -l
