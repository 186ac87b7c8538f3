# Tries the four ioctl requests that create a btrfs subvolume or snapshot, in the folder of the
# first argument. Tries each request also with the upper 32 bits set, which the kernel ignores.
# Prints the requests that were not denied.
my $folder = shift;
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
    my $made = syscall((`uname -m` =~ /x86_64/ ? 16 : 29), fileno $source, $request | $high, $arguments) == 0;
    rmdir "$folder/$name" if $made;
    # A snapshot of what is no subvolume is invalid: the kernel read the request.
    printf "ioctl 0x%x: %s\n", $request | $high, $made ? 'created' : $! if $made || $!{EINVAL};
  }
}
