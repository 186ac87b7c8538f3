import { runAsOwner, stripTerminalCodes } from '#guest/public_effects'
import type { Pm2Process } from '#projects/pm2/processes'
import type { ProcessProblem } from '#projects/transformers/page_props'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

/** The last exit of an app, from the log of PM2. */
interface Ending {
  code: number | null
  /** For example `SIGKILL`. */
  signal: string | null
  /** Whether PM2 ended the app because it exceeded its memory limit. */
  tooLarge: boolean
}

/** If an app does not listen on its port after this time, the page reports a problem. */
const START_GRACE_SECONDS = 8
const MAX_SHOWN_LINES = 10
const MAX_LINE_LENGTH = 400
const SECTION_DIVIDER = '--berth--'
/** Limits for hostile output: no real instance has so many processes or open ports. */
const MAX_LISTED_PROCESSES = 10_000
const MAX_LISTED_SOCKETS = 2_000
/** In characters. Twice the number of bytes that `read_logs.sh` can print from a log. */
const MAX_LOG_LENGTH = 64 * 1024

const READ_LOGS_SCRIPT = readScript(import.meta, 'read_logs.sh')

const LISTENING_PORTS_SCRIPT = readScript(import.meta, 'list_listening_ports.sh')

/**
 * Returns the ports on which each given process and its descendants listen, by process id. The listening process is
 * usually a child, for example of `npm start`.
 */
export async function listProcessPorts(
  machine: Machine,
  pids: number[]
): Promise<Map<number, number[]>> {
  const argv = ['sh', '-c', LISTENING_PORTS_SCRIPT, 'berth-ports', SECTION_DIVIDER]
  const text = await runAsOwner(machine, 'The open ports cannot be read', argv, { timeout: 20_000 })
  return parseListeningPorts(text, pids)
}

export function parseListeningPorts(text: string, pids: number[]): Map<number, number[]> {
  const [parents = '', sockets = ''] = text.split(SECTION_DIVIDER, 2)
  const children = new Map<number, number[]>()
  for (const line of parents.split('\n', MAX_LISTED_PROCESSES)) {
    const [, pid, parent] = /^[ \t]*(\d+)[ \t]+(\d+)[ \t]*$/.exec(line) ?? []
    if (!pid) continue
    const known = children.get(Number(parent))
    if (known) known.push(Number(pid))
    else children.set(Number(parent), [Number(pid)])
  }
  const held = new Map<number, Set<number>>()
  for (const line of sockets.split('\n', MAX_LISTED_SOCKETS)) {
    const port = Number(/^LISTEN\s+\d+\s+\d+\s+\S*:(\d+)\s/.exec(line)?.[1])
    if (!port) continue
    for (const [, pid] of line.matchAll(/\bpid=(\d+)/g)) {
      held.set(Number(pid), (held.get(Number(pid)) ?? new Set()).add(port))
    }
  }
  return new Map(pids.map((pid) => [pid, portsBelow(pid, children, held)]))
}

function portsBelow(
  root: number,
  children: Map<number, number[]>,
  held: Map<number, Set<number>>
): number[] {
  const tree = new Set([root])
  const ports = new Set<number>()
  // A set can grow while it is iterated, so this loop also visits added children. It visits each process once, even if
  // the parents form a cycle.
  for (const pid of tree) {
    for (const port of held.get(pid) ?? []) ports.add(port)
    for (const child of children.get(pid) ?? []) tree.add(child)
  }
  return [...ports].sort((a, b) => a - b)
}

/**
 * Returns an explanation if the process keeps exiting, or does not listen on its port.
 * @param wanted the port on which the process must listen
 * @param ports the ports on which it listens, if known
 * @param since log lines before this time are ignored; format `2026-11-22T13:05:00`, by the instance's clock
 */
export async function findProcessProblem(
  machine: Machine,
  process: Pm2Process,
  { wanted, ports, since }: { wanted: number | null; ports: number[] | null; since?: string }
): Promise<ProcessProblem | null> {
  const ended = process.pm2_env.status === 'errored' || process.pm2_env.status === 'restarting'
  const portProblem = ended ? null : portTrouble(process, wanted, ports)
  if (!ended && !portProblem) return null
  const { ending, lines } = await readLastOutput(machine, process, since)
  return { ...(portProblem ?? exitProblem(process, ending, lines)), lines }
}

export async function readLastOutput(
  machine: Machine,
  { name, pm_id: id, logs }: Pm2Process,
  since?: string
): Promise<{ ending: Ending | null; lines: string[] }> {
  const argv = [
    'sh',
    '-c',
    READ_LOGS_SCRIPT,
    'berth-tell',
    name,
    String(id),
    logs.errors ?? '',
    logs.out ?? '',
    SECTION_DIVIDER,
  ]
  const text = await runAsOwner(machine, 'The logs cannot be read', argv, { timeout: 20_000 })
  return parseLastOutput(text, since)
}

export function parseLastOutput(text: string, since?: string) {
  const [ended = '', exceeded = '', errors = '', out = ''] = text.split(`${SECTION_DIVIDER}\n`, 4)
  const [, code, signal] =
    /exited with code \[(\d+)\](?: via signal \[(SIG\w+)\])?/.exec(ended) ?? []
  const ending: Ending | null = code
    ? { code: Number(code), signal: signal ?? null, tooLarge: exceeded.trim() !== '' }
    : null
  const own = linesOf(errors, since)
  return { ending, lines: own.length ? own : linesOf(out, since) }
}

/** Returns PM2's timestamp of a log line. Lines without one count as recent. */
function timeOf(line: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(line)?.[0] ?? ''
}

/** Matches stack frames of Node, V8 and PM2. The useful lines are above them. */
const RUNTIME_FRAME_PATTERN = /^\s+at .*\((node:|\S*\/node_modules\/pm2\/)|^\s*\d+: 0x[\da-f]+ /

function linesOf(text: string, since = ''): string[] {
  return text
    .slice(-MAX_LOG_LENGTH)
    .split('\n')
    .filter((line) => line.trim() && (!timeOf(line) || timeOf(line) >= since))
    .map((line) => stripTerminalCodes(line.slice(timeOf(line) ? 21 : 0)).slice(0, MAX_LINE_LENGTH))
    .filter((line) => line.trim() && !RUNTIME_FRAME_PATTERN.test(line))
    .slice(-MAX_SHOWN_LINES)
}

/** Messages of Node, V8, C++, Python, Ruby, Go, PHP, Perl, Java and libraries about a failed allocation. */
const OUT_OF_MEMORY_PATTERN =
  /out of memory|(fail(ed|ure) to|cannot|can't|could not|unable to) allocate|allocation failed|ERR_MEMORY_ALLOCATION|\b(bad_alloc|ENOMEM|MemoryError|NoMemoryError|OutOfMemoryError)\b|Allowed memory size of/i

function exitProblem(
  { pm2_env: { status, restart_time: again } }: Pm2Process,
  ending: Ending | null,
  lines: string[]
) {
  const times = again + (status === 'errored' ? 1 : 0)
  const often = times <= 1 ? 'The process crashed' : `The process crashed ${times} times`
  const then =
    status === 'errored'
      ? 'PM2 does not restart it automatically.'
      : 'Restarting with increasing delays.'
  const isKilled = ending?.signal === 'SIGKILL' || ending?.code === 137
  if (ending?.tooLarge || isKilled || lines.some((line) => OUT_OF_MEMORY_PATTERN.test(line))) {
    return {
      words: `${often}, because it exceeded its memory limit. ${then}`,
      next: 'Stop the process. Then reduce its memory use, or choose a larger package.',
    }
  }
  const how = ending ? ` (last exit code ${ending.code})` : ''
  return {
    words: `${often}${how}. ${then}`,
    next: 'Fix the errors in its last log lines, then press Restart.',
  }
}

function portTrouble({ pm2_env: env }: Pm2Process, wanted: number | null, ports: number[] | null) {
  if (env.status !== 'online' || !wanted || !ports || ports.includes(wanted)) return null
  if (ports.length) {
    const listed = ports.slice(0, 5).join(' and ')
    return {
      words: `The process listens on ${listed} instead of ${wanted}.`,
      next: `Make the process listen on the port in the variable PORT, or set the virtual host to port ${ports[0]}.`,
    }
  }
  if ((env.uptime ?? 0) < START_GRACE_SECONDS) return null
  return {
    words: `The process runs, but nothing listens on port ${wanted} yet.`,
    next: 'Wait if the process is still starting. Otherwise, make it listen on the port in the variable PORT.',
  }
}

export function processProblemText({ words, next, lines }: ProcessProblem): string {
  return [words, next, ...(lines.length ? ['Last log lines:', ...lines] : [])].join('\n')
}
