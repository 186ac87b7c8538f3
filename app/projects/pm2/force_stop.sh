# Stops a PM2 process in an instance that has too little memory left to run `pm2`. PM2 writes the PID of each process
# into a file. The script freezes PM2's daemon before it kills the process. Otherwise the daemon would restart the
# process before `pm2 stop` reaches it. After that, the daemon receives the stop command and the exit at once.
# Arguments: process name, site owner, the owner's home. Exits with 3 if PM2 is not running, with 4 if no process of
# that name runs, with 5 if PM2 fails.
owner=$2 home=$3/.pm2
# shellcheck disable=SC2015 # Exits unless both commands succeed.
daemon=$(cat "$home/pm2.pid") && [ -d "/proc/$daemon" ] || {
  echo 'PM2 is not running.' >&2
  exit 3
}
# PM2 removes a number at the end of a name, so app-2 and app have file names of the same form.
file=$(printf %s "$1" | tr -c 'A-Za-z0-9.-' '-' | sed -E 's/-[0-9]+$//')
ids=
pids=
for path in "$home/pids/$file"-[0-9]*.pid; do
  # A file older than the daemon remains from before a reboot. Another process may have its PID now.
  [ "$path" -nt "$home/pm2.pid" ] || continue
  id=${path#"$home/pids/$file-"}
  id=${id%.pid}
  # Skips processes whose names only begin with this name.
  case $id in *[!0-9]*) continue ;; esac
  pid=$(cat "$path")
  if [ -r "/proc/$pid/environ" ]; then
    grep -qzxF "name=$1" "/proc/$pid/environ" || continue
    pids="$pids $pid"
  fi
  ids="$ids $id"
done
[ -n "$ids" ] || exit 4
end() {
  for below in $(pgrep -P "$1"); do end "$below"; done
  kill -KILL "$1" 2> /dev/null
}
trap 'kill -CONT "$daemon"' EXIT
kill -STOP "$daemon"
for pid in $pids; do end "$pid"; done
# shellcheck disable=SC2086 # A list of numbers.
sudo -n -H -u "$owner" -- timeout 60 pm2 stop $ids --silent &
client=$!
sleep 1
kill -CONT "$daemon"
wait "$client" || exit 5
# Berth's own save afterwards may fail. Then the app would start at the next boot. The list contains secrets.
umask 077
sudo -n -H -u "$owner" -- timeout 60 pm2 save --force --silent || exit 5
