import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchProcessReports } from '../../packages/telemetry/metrics.js'
import type { BerthHome } from '../berth_home.js'
import type { ProcessSpec } from '../supervisor.js'
import type { ProcessManager, ManagedProcess } from './process_manager.js'

/**
 * The order: what others call before those who call it, and last the one whose people notice it, when all else is known
 * to be well.
 */
export const RESTART_ORDER = ['broker', 'mail', 'vault', 'worker', 'web', 'gateway']

/** The vault can be there only once; the next one takes its callers in while it waits. */
const alone = new Set(['vault'])

/** Milliseconds that a process may take until it is ready. */
const READY_TIMEOUT_MS = 120_000
/** Milliseconds after which one that was asked to leave is ended. Each has a shorter limit of its own. */
const EXIT_TIMEOUT_MS = 11 * 60_000
const POLL_INTERVAL_MS = 100

export interface ReplaceTimeouts {
  readyWithin?: number
  goneWithin?: number
}

/** A role of the new release does not serve; `lines` are the last that it said. */
export class RoleNotReady extends Error {
  constructor(
    readonly role: string,
    why: string,
    readonly lines: string[]
  ) {
    super(`${role} ${why}`)
  }
}

/**
 * Puts a role in the place of those of its name that run from elsewhere: starts it beside them, waits until it is ready,
 * and asks them to leave. What is under way there goes on; `waitForLeavingRoles` waits for it.
 * @throws RoleNotReady; then they go on
 */
export async function replaceRole(
  processManager: ProcessManager,
  home: BerthHome,
  role: ProcessSpec,
  { readyWithin = READY_TIMEOUT_MS, goneWithin = EXIT_TIMEOUT_MS }: ReplaceTimeouts = {}
): Promise<void> {
  const all = (await processManager.list()).filter(({ name }) => name === role.name)
  const others = all.filter(({ folder }) => folder !== role.cwd)
  // One that an upgrade started which was cut off is taken up.
  const id = all.find(({ folder, leaving }) => folder === role.cwd && !leaving)?.id
  const own = id ?? (await processManager.start(role))
  // One that was taken up may have ended before, at another time.
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
  // Of what may be there only once they have left already.
  await leaveAll(processManager, others)
}

/** Waits until nothing runs any more that was asked to leave. */
export async function waitForLeavingRoles(
  processManager: ProcessManager,
  { goneWithin = EXIT_TIMEOUT_MS }: ReplaceTimeouts = {}
) {
  const leaving = (await processManager.list()).filter((one) => one.leaving)
  await gone(processManager, leaving, goneWithin)
}

/** Names of roles of which a process is still leaving. */
export async function listLeavingRoles(processManager: ProcessManager): Promise<string[]> {
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

async function gone(
  processManager: ProcessManager,
  processes: ManagedProcess[],
  within: number
): Promise<void> {
  const deadline = Date.now() + within
  const ids = new Set(processes.map(({ id }) => id))
  while (ids.size) {
    for (const { id, pid } of await processManager.list()) {
      if (!ids.has(id) || (pid && Date.now() < deadline)) continue
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
      throw new RoleNotReady(name, 'ended right after its start', await lines())
    if (Date.now() > deadline) {
      throw new RoleNotReady(name, `was not ready after ${within / 1000} s`, await lines())
    }
    await sleep(POLL_INTERVAL_MS)
  }
}
