# Connects standard input and output to a TCP port, until one side ends. Arguments: host, port. Runs in a process
# group of its own, which it kills at the end.
# shellcheck shell=bash
exec 3<> "/dev/tcp/$1/$2" || exit
{
  cat <&3
  kill 0
} &
cat >&3
kill 0
