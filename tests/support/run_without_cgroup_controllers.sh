# Runs the program of the first argument where cgroups of version 2 have no controllers. Needs a mount namespace of
# its own.
umount -l -R /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --bind /dev/null /sys/fs/cgroup/cgroup.controllers
exec "$1"
