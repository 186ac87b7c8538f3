import { commandFailed } from '#guest/errors'
import { commandAsOwner, stripTerminalCodes } from '#guest/machine/run_command'
import { forEachLine, type Machine } from '#packages/machine/main'
import { addAbortListener } from 'node:events'

export interface ProgressReporter {
  signal: AbortSignal
  report: (line: string) => Promise<void>
}

interface LongCommand extends ProgressReporter {
  env?: Record<string, string>
  cwd?: string
  /** Milliseconds. */
  timeout: number
  /** False: run as root. */
  owner?: boolean
}

/**
 * Runs commands that take minutes. Reports output lines meanwhile. If the command fails, the error
 * contains its last lines.
 */
export async function runWithProgress(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd, timeout, signal, report, owner = true }: LongCommand
): Promise<void> {
  const owned = commandAsOwner(argv, { env, cwd })
  const process = owner
    ? await machine.spawn(owned.argv, { ...owned.options, timeout })
    : await machine.spawn(argv, { cwd: '/', timeout, env, user: 'root' })
  const stop = () => void process.kill('SIGTERM').catch(() => {})
  // Also stops the command if the signal was aborted while it was being started.
  const watching = addAbortListener(signal, stop)
  process.stdin.on('error', () => {})
  process.stdin.end()
  const last: string[] = []
  let reportedAt = 0
  let reporting = Promise.resolve()
  const hear = (line: string) => {
    const plain = stripTerminalCodes(line).trim().slice(0, 300)
    if (!plain) return
    last.push(plain)
    if (last.length > 40) last.shift()
    if (Date.now() - reportedAt < 400) return
    reportedAt = Date.now()
    reporting = reporting.then(() => report(plain)).catch(() => {})
  }
  const heard = [process.stdout, process.stderr].map((stream) =>
    forEachLine(stream, hear, { maxLineLength: 2_000, returns: true })
  )
  try {
    const { code } = await process.exit
    await Promise.all(heard)
    await reporting
    if (code !== 0) throw commandFailed(what, last.join('\n'))
  } finally {
    watching[Symbol.dispose]()
  }
}

/** Number of existing lines to show first. */
const INITIAL_LINES = '200'
const MAX_LINE_LENGTH = 4_000
/** Limits of the queue of unsent lines. */
const MAX_QUEUED_LINES = 1_000
const MAX_QUEUED_CHARACTERS = 256 * 1024

/**
 * Follows growing files, including replaced ones (`tail -F`). Pauses reading while a batch is sent,
 * so that further output waits on the machine.
 * @returns a function that stops it
 */
export async function tailFiles(
  machine: Machine,
  files: string[],
  { lines, ended }: { lines: (lines: string[]) => Promise<void>; ended: () => void }
): Promise<() => void> {
  const tail = commandAsOwner(['tail', '-q', '-n', INITIAL_LINES, '-F', '--', ...files], {
    cwd: '/',
  })
  const process = await machine.spawn(tail.argv, tail.options)
  process.stdin.on('error', () => {})
  process.stdin.end()
  process.stderr.on('error', () => {}).resume()
  let waiting: string[] = []
  let characters = 0
  let timer: NodeJS.Timeout | undefined
  let sending = false
  let stopped = false
  const send = async () => {
    timer = undefined
    sending = true
    const batch = waiting
    waiting = []
    characters = 0
    process.stdout.pause()
    await lines(batch).catch(() => {})
    sending = false
    if (waiting.length > 0 && !stopped) timer ??= setTimeout(() => void send(), 100)
    process.stdout.resume()
  }
  const hear = (line: string) => {
    if (stopped) return
    const plain = stripTerminalCodes(line)
    waiting.push(plain)
    characters += plain.length
    // Keep only the newest lines if too many arrive.
    while (waiting.length > MAX_QUEUED_LINES || characters > MAX_QUEUED_CHARACTERS) {
      characters -= waiting.shift()!.length
    }
    if (!sending) timer ??= setTimeout(() => void send(), 100)
  }
  void forEachLine(process.stdout, hear, { maxLineLength: MAX_LINE_LENGTH })
  void process.exit
    .catch(() => {})
    .then(() => {
      if (!stopped) ended()
    })
  return () => {
    stopped = true
    clearTimeout(timer)
    // Unread output would keep the process's channel open.
    process.stdout.resume()
    void process.kill('SIGKILL').catch(() => {})
  }
}
