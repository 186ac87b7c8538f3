/**
 * Perl programs that run as root in an instance and try to break out of it. Each program prints one
 * line per successful attack. No output means that the isolation holds. The base image contains
 * Perl.
 */

/**
 * Prints the writable kernel and lxcfs files that do not belong to the instance alone. The first
 * argument is a regular expression of paths to skip.
 */
export const LIST_WRITABLE_FILES_PROGRAM = `use Fcntl;
my $own = shift;
my @folders = ('/proc', '/sys', '/dev');
while (defined(my $folder = shift @folders)) {
  opendir(my $handle, $folder) or next;
  for my $name (readdir $handle) {
    next if $name eq '.' || $name eq '..';
    my $path = "$folder/$name";
    lstat $path or next;
    next if -l _ || $path =~ m{^(?:$own)$};
    if (-d _) { push @folders, $path; next }
    next unless -f _ || -c _ || -b _;
    print "$path\\n" if sysopen my $file, $path, O_WRONLY | O_NONBLOCK | O_NOCTTY;
  }
}`

/** Paths that belong to the instance alone, or that affect no other instance when written. */
export const INSTANCE_OWNED_PATHS = [
  // Processes and cgroups of the instance.
  '/proc/(\\d+|self|thread-self)',
  '/sys/fs/cgroup',
  // Sysctls of the instance's own namespaces: network, IPC, user, PID.
  '/proc/sys/(net|user|fs/mqueue)',
  '/proc/sys/kernel/(auto_msgmni|msg\\w+|sem\\w*|shm\\w+|ns_last_pid|pid_max)',
  '/sys/devices/virtual/net',
  // A write only registers a notification for the writer (the kernel's Documentation/accounting/psi).
  '/proc/pressure/\\w+',
  // Devices without state, terminals of the instance, and devices that act only in its namespaces.
  '/dev/(full|null|zero|tty|u?random|console|ptmx|pts|fuse|net/tun|shm|mqueue|\\.lxc-boot-id)',
].join('|')

/**
 * Tries the four ioctl requests that create a btrfs subvolume or snapshot, in the folder of the
 * first argument. Tries each request also with the upper 32 bits set, which the kernel ignores.
 * Prints the requests that were not denied.
 */
export const CREATE_SUBVOLUME_PROGRAM = `my $folder = shift;
opendir(my $handle, $folder) or die "$folder: $!";
open(my $source, '<', $folder) or die "$folder: $!";
my $number = 0;
for my $high (0, 1 << 32) {
  for my $request (0x5000940e, 0x50009418, 0x50009401, 0x50009417) {
    my $name = 'berth-subvolume-' . $number++;
    my $old = ($request & 0xff) == 0x0e || ($request & 0xff) == 0x01;
    my $arguments = $old
      ? pack('q a4088', fileno $source, $name)
      : pack('q Q Q x32 a4040', fileno $source, 0, 0, $name);
    $! = 0;
    # ioctl(2) by its number: Perl's own function cuts the request to 32 bits.
    my $made = syscall(__IOCTL__, fileno $source, $request | $high, $arguments) == 0;
    rmdir "$folder/$name" if $made;
    # A snapshot of what is no subvolume is invalid: the kernel read the request.
    printf "ioctl 0x%x: %s\\n", $request | $high, $made ? 'created' : $! if $made || $!{EINVAL};
  }
}`.replace('__IOCTL__', '(`uname -m` =~ /x86_64/ ? 16 : 29)')

/**
 * Fills each world-writable tmpfs or ramfs. The first argument is the instance's memory limit in
 * bytes. Prints the file systems that accept that much.
 */
export const FILL_MEMORY_FILE_SYSTEMS_PROGRAM = `my $memory = shift;
open(my $mounts, '<', '/proc/mounts') or die;
for (<$mounts>) {
  my (undef, $folder, $type) = split;
  next unless $type =~ /^(tmpfs|ramfs)$/ && ((stat $folder)[2] & 02);
  my ($file, $written) = ("$folder/berth-memory", 0);
  open(my $out, '>', $file) or next;
  while ($written < $memory) { $written += (syswrite($out, "x" x 1048576) or last) }
  close $out;
  unlink $file;
  print "$folder\\n" if $written >= $memory;
}`

/**
 * Adds keys to the kernel's keyrings as 20 different users. Prints the users that succeeded. The
 * keys are deleted when their processes exit.
 */
export const STORE_KEYS_PROGRAM = `my ($add_key, $keyctl) = \`uname -m\` =~ /x86_64/ ? (248, 250) : (217, 219);
for my $user (1 .. 20) {
  next if my $child = fork;
  $> = $< = $user;
  my ($type, $name, $text, $process_keyring) = ('user', 'berth', 'x' x 30000, -2);
  my $added = syscall($add_key, $type, $name, $text, length $text, $process_keyring) > 0;
  # KEYCTL_JOIN_SESSION_KEYRING: each new keyring is a key, too.
  my $joined = syscall($keyctl, 1, 0) > 0;
  syswrite(STDOUT, "user $user stored a key\\n") if $added || $joined;
  exit;
}
1 while wait > 0;`

/** Sends broadcast frames with forged MAC addresses from `eth0`. The argument is the number of frames. */
export const FORGE_SENDERS_PROGRAM = `use Socket;
open(my $file, '<', '/sys/class/net/eth0/ifindex') or die $!;
my $index = <$file> + 0;
socket(my $socket, 17, SOCK_RAW, 0) or die $!;
my $all = pack('H12', 'ff' x 6);
my $to = pack('SnlSCCa8', 17, 0, $index, 0, 0, 6, $all);
# EtherType 0x88b5 is reserved for experiments.
send($socket, pack('a6 CCN n x46', $all, 2, 0, $_, 0x88b5), 0, $to) or die $! for 1 .. $ARGV[0];`

/**
 * Opens connections as fast as possible by sending UDP datagrams to different ports of an address.
 * Arguments: the address, the number of datagrams. Prints nothing; the host counts the connections
 * that it drops.
 */
export const FLOOD_CONNECTIONS_PROGRAM = `use Socket;
my ($address, $count) = @ARGV;
socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die;
send($socket, 'x', 0, pack_sockaddr_in($_, inet_aton($address))) for 1 .. $count;`

/**
 * Opens TCP connections to all `address:port` arguments at once. Prints the addresses that
 * responded, including by "connection refused".
 */
export const CONNECT_TO_NEIGHBOURS_PROGRAM = `use Socket qw(:DEFAULT SOCK_NONBLOCK);
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
  print "$_\\n" if getpeername($waiting{$_}) || $!{ECONNREFUSED};
}`
