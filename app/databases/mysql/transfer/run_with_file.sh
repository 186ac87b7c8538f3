# Runs a command with a file open as descriptor 3. Arguments: the file, then the command.
exec 3< "$1" && shift && exec "$@"
