import type { ServerInstance } from '#instances/public'
import { SITE_OWNER_HOME, runCommand } from '#guest/public'
import { PM2_WORKER_INTERVAL_MS } from '#projects/pm2/run_pm2'
import type { Machine } from '#packages/machine/main'

const BYTES_PER_MIB = 1024 ** 2

/**
 * Returns the maximum memory of one app on an instance, in bytes. The rest is for the system, SSH
 * access and PM2 itself, so that a memory leak kills the app and not the instance. Null if the
 * instance has no memory size.
 */
export function maxAppMemoryBytes({
  memoryBytes,
}: Pick<ServerInstance, 'memoryBytes'>): number | null {
  const memory = Number(memoryBytes)
  if (!memory) return null
  const rest = Math.max(200 * BYTES_PER_MIB, memory * 0.2)
  return Math.floor(Math.max(memory / 2, memory - rest))
}

// PM2 checks memory only periodically, which is too late for a fast leak. The kernel's limit
// (RLIMIT_DATA) acts at once, and apps inherit it from PM2's daemon.
//
// Node reserves much memory that it never uses. The script adds this amount, which it reads from
// the daemon, itself a Node process. It sets only the soft limit, so that a larger plan can raise
// it.
//
// Arguments: bytes, PM2's check interval in ms. The systemd drop-in applies the limit after the
// next boot.
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

/** Limits the memory of apps under PM2, now and after the next boot. PM2's daemon must be running. */
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
