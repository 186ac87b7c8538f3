# Opens TCP connections to all `address:port` arguments at once. Prints the addresses that
# responded, including by "connection refused".
use Socket qw(:DEFAULT SOCK_NONBLOCK);
use Errno;
my %waiting;
for (@ARGV) {
  my ($address, $port) = split /:/;
  socket(my $socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0) or die;
  connect($socket, pack_sockaddr_in($port, inet_aton($address)));
  $waiting{$_} = $socket if $!{EINPROGRESS};
}
sleep 3;
for (sort keys %waiting) {
  my $error = unpack 'i', getsockopt($waiting{$_}, SOL_SOCKET, SO_ERROR);
  $! = $error;
  print "$_\n" if getpeername($waiting{$_}) || $!{ECONNREFUSED};
}
