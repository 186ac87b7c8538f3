import { join } from 'node:path'
import { fetchProcessReports } from '../../packages/telemetry/metrics.js'
import type { BerthHome } from '../berth_home.js'
import { formatDuration } from '../print.js'
import type { ManagedProcess, ProcessManager } from './process_manager.js'

const REPORT_INTERVAL_MS = 30_000
/** The work that a process finishes before it exits, and its time limit (docs/architecture/upgrade.md). */
const WORK_BEFORE_EXIT_BY_ROLE: Record<string, string> = {
  web: 'uploads, downloads and other requests, at most 10 min',
  gateway: 'terminals, at most 30 s',
  vault: 'requests to vaults, at most 10 s',
  mail: 'messages that it began to accept, at most 20 s',
  worker: 'steps of operations, at most 5 s',
  broker: 'calls to Incus, at most 60 s',
}

interface ExitReportOptions {
  processManager: ProcessManager
  home: BerthHome
  isService: boolean
  print: (line: string) => void
}

/**
 * Prints which processes of the previous release are still running, what they are waiting for, and how to end them.
 * Prints this now, and then every 30 s.
 * @returns a function that stops the reports
 */
export async function reportExitingProcesses(options: ExitReportOptions): Promise<() => void> {
  const report = async () => {
    for (const line of await describeExitingProcesses(options)) options.print(`  ${line}`)
  }
  await report()
  options.print(
    '  The new release already serves all new requests. Ctrl-C only stops this command: run it again later to complete the upgrade.'
  )
  // A report that fails must not end the upgrade.
  const timer = setInterval(() => void report().catch(() => {}), REPORT_INTERVAL_MS)
  return () => clearInterval(timer)
}

/** Returns one line for each process that is exiting, and one for each of its ten oldest requests, oldest first. */
export async function describeExitingProcesses({
  processManager,
  home,
  isService,
}: Omit<ExitReportOptions, 'print'>): Promise<string[]> {
  const leaving = (await processManager.list()).filter(({ leaving: is, pid }) => is && pid)
  const reports = leaving.length ? await fetchProcessReports(join(home.path, 'metrics')) : []
  return leaving.flatMap((one) => {
    // A process of the previous release may not report its open requests.
    const requests = reports.find(({ pid }) => pid === one.pid)?.openRequests ?? []
    return [
      `${one.name} (process ${one.pid}) finishes ${WORK_BEFORE_EXIT_BY_ROLE[one.name] ?? 'its work'}. To end it now: ${endCommand(one, isService)}`,
      ...requests.map(
        ({ method, path, startedAt }) =>
          `  ${method} ${path}, for ${formatDuration(Date.now() - Date.parse(startedAt))}`
      ),
    ]
  })
}

/** Returns a command with which a person can end the process. */
function endCommand({ id, pid }: ManagedProcess, isService: boolean): string {
  return isService ? `systemctl stop ${id}` : `kill ${pid}`
}
