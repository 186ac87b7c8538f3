# Sends broadcast frames with forged MAC addresses from `eth0`. The argument is the number of frames.
use Socket;
open(my $file, '<', '/sys/class/net/eth0/ifindex') or die $!;
my $index = <$file> + 0;
socket(my $socket, 17, SOCK_RAW, 0) or die $!;
my $all = pack('H12', 'ff' x 6);
my $to = pack('SnlSCCa8', 17, 0, $index, 0, 0, 6, $all);
# EtherType 0x88b5 is reserved for experiments.
send($socket, pack('a6 CCN n x46', $all, 2, 0, $_, 0x88b5), 0, $to) or die $! for 1 .. $ARGV[0];
