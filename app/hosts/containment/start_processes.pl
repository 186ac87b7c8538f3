# Starts as many processes as the first argument says. Prints their number if all of them ran at the same time.
my ($wanted, @children) = (shift);
while (@children < $wanted) {
  my $child = fork;
  last unless defined $child;
  unless ($child) {
    sleep 60;
    exit;
  }
  push @children, $child;
}
print scalar(@children), " processes ran\n" if @children == $wanted;
kill KILL => @children;
