import { absoluteWebPath } from '#guest/public'
import { stripTerminalCodes } from '#guest/public_effects'
import { runPm2 } from '#projects/pm2/run_pm2'
import { COMMAND_LAUNCHER, MAX_ARGUMENTS } from '#projects/pm2/command'
import type { NodeProcess, ProcessStatus } from '#projects/transformers/page_props'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

/** The fields declared here are not sent to pages. */
export interface Pm2Process extends Omit<NodeProcess, 'trouble'> {
  folder: string
  logs: { out: string | null; errors: string | null }
  argv: string[]
  /**
   * Whether PM2 runs it as Berth starts processes: as one Node process, or as one command. Berth cannot recreate
   * others, such as clusters.
   */
  plain: boolean
  /**
   * `port` and `mode`: the values of PORT and NODE_ENV. `given`: names of the variables that the customer set,
   * possibly also PORT and NODE_ENV.
   */
  env: { port: number | null; mode: string | null; given: string[] }
}

export interface ProcessList {
  processes: Pm2Process[]
  /** Message that some entries of PM2's list were skipped. */
  note: string | null
}

export const CUSTOMER_VARIABLE_NAMES_ENV = 'BERTH_VARIABLES'

/** Limit for hostile output: no real instance has so many processes. */
const MAX_LISTED_PROCESSES = 200
const MAX_NAME_LENGTH = 200
const MAX_PATH_LENGTH = 1_024

/** A process that ran this long without an exit is stable. */
const STABLE_AFTER_SECONDS = 30

const LIST_SCRIPT = readScript(import.meta, 'list_processes.sh')

/** `timeout` is in ms. */
export async function loadProcessList(machine: Machine, timeout = 60_000): Promise<ProcessList> {
  const argv = ['sh', '-c', LIST_SCRIPT]
  return parseProcessList(
    await runPm2(machine, 'The process list could not be read from PM2', argv, { timeout })
  )
}

export async function loadProcesses(machine: Machine): Promise<Pm2Process[]> {
  return (await loadProcessList(machine)).processes
}

/**
 * Parses `pm2 jlist` and skips lines before the list. The customer controls this output, so invalid entries are
 * skipped, and all fields have the declared type.
 */
export function parseProcessList(text: string, now = Date.now()): ProcessList {
  const entries = listIn(text)
  if (!entries) {
    return { processes: [], note: 'PM2 sent a process list that cannot be read.' }
  }
  const processes: Pm2Process[] = []
  const ids = new Set<number>()
  for (const entry of entries.slice(0, MAX_LISTED_PROCESSES)) {
    const process = readProcess(entry, now)
    if (!process || ids.has(process.pm_id)) continue
    ids.add(process.pm_id)
    processes.push(process)
  }
  const left = entries.length - processes.length
  const some = left === 1 ? '1 entry' : `${left} entries`
  return {
    processes,
    note: left ? `${some} of PM2's list could not be read, so some processes are not shown.` : null,
  }
}

function listIn(text: string): unknown[] | null {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .findLast((part) => part.startsWith('['))
  try {
    const list: unknown = JSON.parse(line ?? '')
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}

function readProcess(entry: unknown, now: number): Pm2Process | null {
  const raw = record(entry)
  const env = record(raw.pm2_env)
  const monit = record(raw.monit)
  const id = count(raw.pm_id)
  const name = typeof raw.name === 'string' ? stripTerminalCodes(raw.name).trim() : ''
  if (id === null || !name || name.length > MAX_NAME_LENGTH) return null
  const status = typeof env.status === 'string' ? env.status : ''
  const started = count(env.pm_uptime)
  const runs = status === 'online' || status === 'launching'
  const uptime = runs && started !== null ? Math.max(0, Math.round((now - started) / 1000)) : null
  const program = path(env.pm_exec_path)
  return {
    pm_id: id,
    name,
    pid: count(raw.pid) ?? 0,
    monit: { cpu: amount(monit.cpu), memory: amount(monit.memory) },
    pm2_env: {
      status: statusOf(status, uptime, env),
      restart_time: count(env.restart_time) ?? 0,
      uptime,
    },
    folder: path(env.pm_cwd) ?? '',
    logs: { out: path(env.pm_out_log_path), errors: path(env.pm_err_log_path) },
    argv: program ? [program, ...texts(env.args)] : [],
    plain:
      env.exec_mode === 'fork_mode' &&
      (isNode(env.exec_interpreter) ||
        (env.exec_interpreter === 'none' && program === COMMAND_LAUNCHER)),
    env: {
      port: portIn(env.PORT),
      mode: typeof env.NODE_ENV === 'string' ? env.NODE_ENV.slice(0, 60) : null,
      given: namesIn(env[CUSTOMER_VARIABLE_NAMES_ENV]),
    },
  }
}

/** In a crash loop PM2 reports `online`, so a process that PM2 has just restarted is reported as `restarting`. */
function statusOf(
  status: string,
  uptime: number | null,
  env: Record<string, unknown>
): ProcessStatus {
  if (status === 'waiting restart') return 'restarting'
  if (status === 'online' || status === 'launching') {
    const looped = amount(env.prev_restart_delay) > 0 || amount(env.unstable_restarts) > 0
    return looped && (uptime ?? 0) < STABLE_AFTER_SECONDS ? 'restarting' : status
  }
  return status === 'stopped' || status === 'stopping' || status === 'errored' ? status : 'unknown'
}

function isNode(interpreter: unknown): boolean {
  return typeof interpreter === 'string' && /(^|\/)node$/.test(interpreter)
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0
}

function path(value: unknown): string | null {
  const fits = typeof value === 'string' && value.startsWith('/') && value.length <= MAX_PATH_LENGTH
  return fits && !value.includes('\0') ? value : null
}

function texts(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_ARGUMENTS) return []
  return value.filter(
    (part): part is string =>
      typeof part === 'string' && part.length <= MAX_PATH_LENGTH && !part.includes('\0')
  )
}

function portIn(value: unknown): number | null {
  const port = typeof value === 'string' ? Number(value) : value
  return Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536
    ? (port as number)
    : null
}

function namesIn(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').filter(Boolean).slice(0, 200) : []
}

export function isProcessInFolder(process: Pick<Pm2Process, 'folder'>, path: string): boolean {
  const folder = absoluteWebPath(path)
  return process.folder === folder || process.folder.startsWith(`${folder}/`)
}
