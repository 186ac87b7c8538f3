# Starts a shell. Arguments: columns, rows, the user's shell and the command. Prints the terminal's device name on
# descriptor 3, so that Berth can change the terminal's size later.
tty >&3
exec 3>&-
stty cols "$1" rows "$2"
SHELL=$3
export SHELL
shift 3
exec "$@"
