# Opens connections as fast as possible by sending UDP datagrams to different ports of an address. Arguments: the
# address, the number of datagrams. Prints nothing; the host counts the connections that it drops.
# shellcheck shell=bash
for ((port = 1; port <= $2; port++)); do
  printf x > "/dev/udp/$1/$port"
done 2> /dev/null
exit 0
