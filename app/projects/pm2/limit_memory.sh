# PM2 checks memory only periodically, which is too late for a fast leak. The kernel's limit
# (RLIMIT_DATA) acts at once, and apps inherit it from PM2's daemon.
#
# Node reserves much memory that it never uses. The script adds this amount, which it reads from
# the daemon, itself a Node process. It sets only the soft limit, so that a larger plan can raise
# it.
#
# Arguments: bytes, PM2's check interval in ms, home of the site owner. The systemd drop-in applies the limit after the
# next boot.
set -e
daemon=$(cat "$3/.pm2/pm2.pid")
step=67108864
reserved=$(awk '/^VmData:/ { print $2 }' "/proc/$daemon/status")
limit=$(($1 + reserved * 1024 / step * step + step))
prlimit --pid "$daemon" --data="$limit:"
file=/etc/systemd/system/pm2-berth.service.d/memory.conf
text=$(printf '[Service]\nLimitDATA=%s:infinity\nEnvironment=PM2_WORKER_INTERVAL=%s' "$limit" "$2")
[ "$(cat "$file" 2> /dev/null)" = "$text" ] && exit 0
mkdir -p /etc/systemd/system/pm2-berth.service.d
printf '%s\n' "$text" > "$file"
systemctl daemon-reload
