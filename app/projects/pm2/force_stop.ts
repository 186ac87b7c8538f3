import { notFound } from '#core/app_error'
import { commandFailed, SITE_OWNER_USER, SITE_OWNER_HOME, stripTerminalCodes } from '#guest/public'
import type { Machine } from '#packages/machine/main'

// For an instance that has too little memory left to run `pm2`. PM2 writes the id of each process
// into a file. The script freezes PM2's daemon before it kills the process. Otherwise the daemon
// would restart the process before `pm2 stop` reaches it. After that the daemon gets both the stop
// command and the exit at once. Argument: name of the process.
const EMERGENCY_STOP_SCRIPT = `home=${SITE_OWNER_HOME}/.pm2
daemon=$(cat "$home/pm2.pid") && [ -d "/proc/$daemon" ] || { echo 'PM2 does not run.' >&2; exit 3; }
# PM2 leaves out a number at the end of a name: app-2 has files like those of app.
file=$(printf %s "$1" | tr -c 'A-Za-z0-9.-' '-' | sed -E 's/-[0-9]+$//')
ids=
pids=
for path in "$home/pids/$file"-[0-9]*.pid; do
  # What is older than the daemon stayed from before a boot: its number is another process's by now.
  [ "$path" -nt "$home/pm2.pid" ] || continue
  id=\${path#"$home/pids/$file-"}
  id=\${id%.pid}
  # Another process may have a name that goes on with a number.
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
  kill -KILL "$1" 2>/dev/null
}
trap 'kill -CONT "$daemon"' EXIT
kill -STOP "$daemon"
for pid in $pids; do end "$pid"; done
sudo -n -H -u ${SITE_OWNER_USER} -- timeout 60 pm2 stop $ids --silent &
client=$!
sleep 1
kill -CONT "$daemon"
wait "$client" || exit 5
sudo -n -H -u ${SITE_OWNER_USER} -- timeout 60 pm2 save --force --silent || exit 5`

/**
 * Kills a process and keeps it stopped, as root through the host and without asking PM2 first. Used
 * for an instance that answers neither over SSH nor to `pm2`.
 * @throws 404 if there is no process of that name
 */
export async function forceStopProcess(machine: Machine, name: string): Promise<void> {
  const argv = ['sh', '-c', EMERGENCY_STOP_SCRIPT, 'berth-stop', name]
  const { code, stderr } = await machine.exec(argv, { user: 'root', cwd: '/', timeout: 150_000 })
  if (code === 4) throw notFound('process')
  if (code !== 0)
    throw commandFailed(
      'The process could not be stopped by force',
      stripTerminalCodes(`${stderr}`)
    )
}
