# Tries to exceed the instance's limits. Arguments: bytes of memory, number of processes, number of CPUs. Prints the
# limits that do not hold.
my ($bytes, $processes, $cpus) = @ARGV;
my @children;
# The instance's other processes count too, so a limit that holds denies the last of these.
while (@children < $processes) {
  my $child = fork;
  last unless defined $child;
  unless ($child) { sleep 60; exit }
  push @children, $child;
}
kill 'KILL', @children;
1 while wait > 0;
print "$processes additional processes\n" if @children == $processes;

# The child, whose memory is the largest, is killed.
my $leak = fork // die "fork: $!";
unless ($leak) { my $text = 'x' x (2 * $bytes); exit }
waitpid $leak, 0;
print 2 * $bytes, " bytes of memory\n" unless $?;

# Incus assigns CPUs some time after the start.
my $usable;
for (1 .. 20) {
  chomp($usable = `nproc`);
  last if $usable <= $cpus;
  sleep 1;
}
print "$usable CPUs\n" if $usable > $cpus;
