# Creates network namespaces by the three system calls that can. Prints those that succeeded.
use POSIX ();
my ($unshare, $clone, $clone3) = `uname -m` =~ /x86_64/ ? (272, 56, 435) : (97, 220, 435);
my ($new_network, $exit_signal) = (0x40000000, 17);
# struct clone_args of clone3(2): flags, three pointers, exit signal, and six more fields.
my $arguments = pack('Q11', $new_network, 0, 0, 0, $exit_signal, (0) x 6);
my %attempts = (
  unshare => sub { syscall($unshare, $new_network) + 1 },
  clone => sub { syscall($clone, $new_network | $exit_signal, 0, 0, 0, 0) },
  clone3 => sub { syscall($clone3, $arguments, length $arguments) },
);
for my $name (sort keys %attempts) {
  # A process of its own, because clone returns 0 in the new one.
  next if my $child = fork;
  my $result = $attempts{$name}->();
  syswrite(STDOUT, "$name created a network namespace\n") if $result > 0;
  POSIX::_exit(0);
}
1 while wait > 0;
