# An interrupted run may still be running, or may have left packages half configured.
set -e
exec 9>> /run/berth-packages.lock
flock 9
for _ in $(seq 150); do
  said=$(LC_ALL=C dpkg --configure -a 2>&1) && break
  case $said in *'lock was locked'*) sleep 2 ;; *) break ;; esac
done
apt-get -q -o DPkg::Lock::Timeout=300 update
exec apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
