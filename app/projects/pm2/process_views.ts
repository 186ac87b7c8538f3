import { absoluteWebPath } from '#guest/public'
import type Project from '#projects/models/project'
import { isProcessInFolder, type Pm2Process, type ProcessList } from '#projects/pm2/processes'
import { listProcessPorts, findProcessProblem } from '#projects/pm2/process_problems'
import type { NodeProcess } from '#projects/transformers/page_props'
import type { Machine } from '#packages/machine/main'

/** For further processes with problems, pages show no explanation, because each explanation reads log files. */
const MAX_EXPLAINED_PROCESSES = 5

/**
 * Omits PM2's own data, which contain all environment variables.
 * @param projects the projects of the instance that are not deleted
 */
export async function loadProcessViews(
  machine: Machine,
  { processes }: ProcessList,
  projects: Project[]
): Promise<NodeProcess[]> {
  const online = processes.filter(({ pm2_env: { status } }) => status === 'online')
  const pids = online.map(({ pid }) => pid).filter((pid) => pid > 0)
  // If the ports cannot be read in time, the list is shown without them.
  const ports = pids.length ? await listProcessPorts(machine, pids).catch(() => null) : null
  const open = new Set([...(ports?.values() ?? [])].flat())
  let explained = 0
  const explain = async (process: Pm2Process) => {
    const wanted = wantedPort(process, projects)
    const row = {
      wanted: wanted && !open.has(wanted) ? wanted : null,
      ports: ports?.get(process.pid) ?? null,
    }
    const isSuspect = process.pm2_env.status !== 'online' || row.wanted !== null
    if (!isSuspect || explained++ >= MAX_EXPLAINED_PROCESSES) return null
    return findProcessProblem(machine, process, row).catch(() => null)
  }
  return Promise.all(
    processes.map(async (process) => {
      const { pm_id, name, pid, monit, pm2_env } = process
      return { pm_id, name, pid, monit, pm2_env, trouble: await explain(process) }
    })
  )
}

function wantedPort(process: Pm2Process, projects: Project[]): number | null {
  if (process.env.port) return process.env.port
  return findProjectOfProcess(process, projects)?.virtualHost?.reverse_proxy_port ?? null
}

/** Returns the innermost project whose folder contains the process's working directory. */
export function findProjectOfProcess(
  process: Pick<Pm2Process, 'folder'>,
  projects: Project[]
): Project | null {
  const mine = projects.filter(({ path }) => isProcessInFolder(process, path))
  return (
    mine.sort((a, b) => absoluteWebPath(b.path).length - absoluteWebPath(a.path).length)[0] ?? null
  )
}
