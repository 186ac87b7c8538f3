import { runAsOwner } from '#projects/machine/run'
import { folderOf } from '#projects/paths'
import type { NodeProcess } from '#projects/transformers/pages'
import type { Machine } from '#packages/machine/main'

/** What else Berth knows of it and keeps to itself. */
export interface KnownProcess extends NodeProcess {
  folder: string
  logs: string[]
}

// An instance that never used PM2 should not have to hold its daemon in memory to say so.
const LIST = `for file in pm2.pid dump.pm2; do
  [ -e "$HOME/.pm2/$file" ] && exec pm2 jlist --silent
done
echo '[]'`

/** What runs under PM2 on a machine. */
export async function processesOn(machine: Machine): Promise<KnownProcess[]> {
  const text = await runAsOwner(machine, 'PM2 cannot be asked', ['sh', '-c', LIST], {
    timeout: 60_000,
  })
  return readProcesses(text)
}

/** Reads `pm2 jlist`; lines of PM2's own before the list are passed over. */
export function readProcesses(text: string): KnownProcess[] {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .findLast((part) => part.startsWith('[{') || part === '[]')
  if (!line) return []
  return (JSON.parse(line) as Raw[]).map(({ pm_id: id, name, pid, monit, pm2_env: env }) => ({
    pm_id: id,
    name,
    pid: pid ?? 0,
    monit: { cpu: monit?.cpu ?? 0, memory: monit?.memory ?? 0 },
    pm2_env: { status: env.status },
    folder: env.pm_cwd ?? '',
    logs: [env.pm_out_log_path, env.pm_err_log_path].filter((path) => path !== undefined),
  }))
}

interface Raw {
  pm_id: number
  name: string
  pid?: number
  monit?: { cpu?: number; memory?: number }
  pm2_env: {
    status: string
    pm_cwd?: string
    pm_out_log_path?: string
    pm_err_log_path?: string
  }
}

/** Without what only Berth needs; PM2's own list would also show every environment variable. */
export function describeProcess(process: KnownProcess): NodeProcess {
  const { pm_id, name, pid, monit, pm2_env } = process
  return { pm_id, name, pid, monit, pm2_env }
}

/** Whether a process was started from a project's folder. */
export function belongsTo(process: KnownProcess, path: string): boolean {
  const folder = folderOf(path)
  return process.folder === folder || process.folder.startsWith(`${folder}/`)
}
