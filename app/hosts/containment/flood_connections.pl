# Opens connections as fast as possible by sending UDP datagrams to different ports of an address.
# Arguments: the address, the number of datagrams. Prints nothing; the host counts the connections
# that it drops.
use Socket;
my ($address, $count) = @ARGV;
socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die;
send($socket, 'x', 0, pack_sockaddr_in($_, inet_aton($address))) for 1 .. $count;
