# Prints the writable kernel and lxcfs files that do not belong to the instance alone. The first
# argument is a regular expression of paths to skip.
use Fcntl;
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
    print "$path\n" if sysopen my $file, $path, O_WRONLY | O_NONBLOCK | O_NOCTTY;
  }
}
