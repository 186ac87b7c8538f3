# Runs a command in the mount namespace that `unshare` created (mount_namespace.ts). Mounts a new folder, which contains
# only the needed paths, over a folder that other users may not enter (such as /root). Arguments: that folder, the
# number of paths, the paths, the command.
set -e
here=$(pwd) umask=$(umask) closed=$1 count=$2 stage=/run/berth-view
shift 2
umask 022
i=0
for path in "$@"; do
  [ "$i" -lt "$count" ] || break
  i=$((i + 1))
  mkdir -p "$stage/$i"
  mount --bind "$path" "$stage/$i"
done
mount -t tmpfs -o mode=0711,size=1m,nosuid,nodev berth "$closed"
i=0
while [ "$i" -lt "$count" ]; do
  i=$((i + 1))
  mkdir -p "$1"
  mount --bind "$stage/$i" "$1"
  umount "$stage/$i"
  shift
done
umask "$umask"
cd "$here"
exec "$@"
