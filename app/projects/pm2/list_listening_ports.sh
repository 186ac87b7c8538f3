# Argument: the line between processes and sockets.
ps -eo pid=,ppid=
echo "$1"
ss -Hltnp
