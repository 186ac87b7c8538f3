import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchProcessReports } from '../../packages/telemetry/metrics.js'
import type { BerthHome } from '../berth_home.js'
import type { ProcessSpec } from '../supervisor.js'
import type { ProcessManager, ManagedProcess } from './process_manager.js'

/**
 * Order in which roles are restarted: a service before the roles that call it. The gateway is last, because its restart
 * closes terminals.
 */
export const RESTART_ORDER = ['broker', 'mail', 'vault', 'worker', 'web', 'gateway']

/**
 * Roles of which only one process may handle requests. A new vault process accepts connections, but handles them only
 * after the old process has exited.
 */
const alone = new Set(['vault'])

const READY_TIMEOUT_MS = 120_000
/**
 * Time after which a process that was asked to exit is killed: at least a minute more than the process's own limit
 * (docs/architecture/upgrade.md).
 */
const EXIT_TIMEOUT_MS = 2 * 60_000
const WEB_EXIT_TIMEOUT_MS = 11 * 60_000
/**
 * Interval of polls. Each poll starts programs, so more frequent polls would slow down the processes that are starting.
 */
const POLL_INTERVAL_MS = 250

export interface ReplaceTimeouts {
  readyWithin?: number
  /** In milliseconds. Default: that of its role. */
  goneWithin?: number
}

/** The new release's process of a role did not become ready. `lines` are the last lines of its log. */
export class RoleNotReadyError extends Error {
  constructor(
    readonly role: string,
    why: string,
    readonly lines: string[]
  ) {
    super(`${role} ${why}`)
  }
}

/**
 * Starts the role's process of the new release, while those of other releases keep running. Waits until it is ready,
 * then asks the others to exit. Does not wait until they have exited (see `waitForExitingRoles`), except for roles in
 * `alone`.
 * @throws RoleNotReadyError if the new process fails. The others then keep running, unless they were already asked to
 * exit
 */
export async function replaceRole(
  processManager: ProcessManager,
  home: BerthHome,
  role: ProcessSpec,
  { readyWithin = READY_TIMEOUT_MS, goneWithin }: ReplaceTimeouts = {}
): Promise<void> {
  const all = (await processManager.list()).filter(({ name }) => name === role.name)
  const others = all.filter(({ folder }) => folder !== role.cwd)
  const id = all.find(({ folder, leaving }) => folder === role.cwd && !leaving)?.id
  const own = id ?? (await processManager.start(role))
  // Number of crashes so far. Only later ones count, because a process that already existed may have crashed before.
  const deaths = all.find((one) => one.id === own)?.deaths ?? 0
  const becomes = (wanted: (report: Report) => boolean) =>
    waitFor(processManager, home, { id: own, name: role.name, deaths }, readyWithin, wanted)
  try {
    if (alone.has(role.name) && others.length) {
      await becomes(isThere)
      await leaveAll(processManager, others)
      await gone(processManager, others, goneWithin)
    }
    await becomes(isReady)
  } catch (error) {
    await processManager.end(own)
    throw error
  }
  // Asks the others to exit. For a role in `alone`, this was already done above.
  await leaveAll(processManager, others)
}

export async function waitForExitingRoles(
  processManager: ProcessManager,
  { goneWithin }: ReplaceTimeouts = {}
) {
  const leaving = (await processManager.list()).filter((one) => one.leaving)
  await gone(processManager, leaving, goneWithin)
}

export async function listExitingRoles(processManager: ProcessManager): Promise<string[]> {
  return (await processManager.list())
    .filter(({ leaving, pid }) => leaving && pid)
    .map(({ name }) => name)
}

async function leaveAll(
  processManager: ProcessManager,
  processes: ManagedProcess[]
): Promise<void> {
  for (const { id } of processes) await processManager.leave(id)
}

/** Removes each process that has exited or has reached its time limit. Returns when no process is left. */
async function gone(
  processManager: ProcessManager,
  processes: ManagedProcess[],
  within?: number
): Promise<void> {
  const start = Date.now()
  const ids = new Set(processes.map(({ id }) => id))
  for (;;) {
    // Another command may have removed a process in the meantime.
    const present = (await processManager.list()).filter(({ id }) => ids.has(id))
    if (!present.length) return
    for (const { id, name, pid } of present) {
      const limit = within ?? (name === 'web' ? WEB_EXIT_TIMEOUT_MS : EXIT_TIMEOUT_MS)
      if (pid && Date.now() - start < limit) continue
      await processManager.end(id)
      ids.delete(id)
    }
    if (ids.size) await sleep(POLL_INTERVAL_MS)
  }
}

type Report = { pid: number; ready: boolean } | undefined
const isThere = (report: Report) => report !== undefined
const isReady = (report: Report) => report?.ready === true

async function waitFor(
  processManager: ProcessManager,
  home: BerthHome,
  { id, name, deaths }: Pick<ManagedProcess, 'id' | 'name' | 'deaths'>,
  within: number,
  wanted: (report: Report) => boolean
): Promise<void> {
  const deadline = Date.now() + within
  for (;;) {
    const own = (await processManager.list()).find((one) => one.id === id)
    const reports = own?.pid ? await fetchProcessReports(join(home.path, 'metrics')) : []
    if (wanted(reports.find(({ pid }) => pid === own?.pid))) return
    const lines = async () => processManager.words(id)
    if (!own || own.deaths > deaths)
      throw new RoleNotReadyError(name, 'ended right after its start', await lines())
    if (Date.now() > deadline) {
      throw new RoleNotReadyError(name, `was not ready after ${within / 1000} s`, await lines())
    }
    await sleep(POLL_INTERVAL_MS)
  }
}
