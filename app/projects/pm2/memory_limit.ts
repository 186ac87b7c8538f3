import type { ServerInstance } from '#instances/public'
import { SITE_OWNER_HOME, runCommand } from '#guest/public'
import { PM2_WORKER_INTERVAL_MS } from '#projects/pm2/run_pm2'
import type { Machine } from '#packages/machine/main'

const BYTES_PER_MIB = 1024 ** 2

/**
 * What one app may hold of an instance's memory, in bytes: the rest is for the system, the way in over
 * SSH and PM2 itself, so that a leak ends the app and not the instance. Null where nothing was promised.
 */
export function maxAppMemoryBytes({
  memoryBytes,
}: Pick<ServerInstance, 'memoryBytes'>): number | null {
  const memory = Number(memoryBytes)
  if (!memory) return null
  const rest = Math.max(200 * BYTES_PER_MIB, memory * 0.2)
  return Math.floor(Math.max(memory / 2, memory - rest))
}

// PM2 looks at memory every now and then, which a quick leak does not wait for: the kernel's limit is
// at once, and what PM2's daemon may have, its apps inherit. Node reserves much that it never fills, the
// daemon (a Node itself) tells how much. Only the soft limit, so that a larger package can raise it.
// Arguments: bytes. The drop-in is for the next boot.
const LIMIT_MEMORY_SCRIPT = `set -e
daemon=$(cat ${SITE_OWNER_HOME}/.pm2/pm2.pid)
step=67108864
reserved=$(awk '/^VmData:/ { print $2 }' "/proc/$daemon/status")
limit=$(($1 + reserved * 1024 / step * step + step))
prlimit --pid "$daemon" --data="$limit:"
file=/etc/systemd/system/pm2-berth.service.d/memory.conf
text=$(printf '[Service]\\nLimitDATA=%s:infinity\\nEnvironment=PM2_WORKER_INTERVAL=%s' "$limit" "$2")
[ "$(cat "$file" 2>/dev/null)" = "$text" ] && exit 0
mkdir -p /etc/systemd/system/pm2-berth.service.d
printf '%s\\n' "$text" > "$file"
systemctl daemon-reload`

/** Limits what apps under PM2 may take, now and after the next boot; PM2 must run. */
export async function setMemoryLimit(machine: Machine, bytes: number): Promise<void> {
  const argv = [
    'sh',
    '-c',
    LIMIT_MEMORY_SCRIPT,
    'berth-memory',
    String(bytes),
    PM2_WORKER_INTERVAL_MS,
  ]
  await runCommand(machine, 'The memory of apps could not be limited', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
