# Connects standard input and output to a socket. Arguments: path of a Unix socket, or host and port. Runs
# as root on the machine, so that the server does not need to listen to the network. Exit code 7:
# connection refused.
use strict;
use warnings;
use IO::Socket::UNIX;
use IO::Socket::INET;
my $socket = @ARGV > 1
  ? IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1], Proto => 'tcp')
  : IO::Socket::UNIX->new(Peer => $ARGV[0]);
exit 7 unless $socket;
sub copy {
  my ($from, $to) = @_;
  while (sysread($from, my $bytes, 262144)) {
    my $done = 0;
    while ($done < length $bytes) {
      my $wrote = syswrite($to, $bytes, length($bytes) - $done, $done);
      return unless $wrote;
      $done += $wrote;
    }
  }
}
my $child = fork() // exit 8;
if ($child == 0) {
  copy(*STDIN, $socket);
  shutdown($socket, 1);
  exit 0;
}
copy($socket, *STDOUT);
kill 'TERM', $child;
exit 0;
