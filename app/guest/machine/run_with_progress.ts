import { commandFailed } from '#guest/errors'
import { type ProgressReporter, ProgressSender } from '#guest/machine/progress_sender'
import { commandAsOwner, stripTerminalCodes } from '#guest/machine/run_command'
import { forEachLine, type Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'
import { addAbortListener } from 'node:events'

interface LongCommand extends ProgressReporter {
  env?: Record<string, string>
  cwd?: string
  /** Timeout in milliseconds. */
  timeout: number
  /** False: run as root. Default: run as the site owner. */
  owner?: boolean
}

/**
 * Runs a command that takes minutes, and reports its output lines. If it fails, the error contains the first error in
 * the output and the last lines.
 */
export async function runWithProgress(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd, timeout, signal, stopSignal, report, record, owner = true }: LongCommand
): Promise<void> {
  const owned = commandAsOwner(argv, { env, cwd })
  const process = owner
    ? await machine.spawn(owned.argv, { ...owned.options, timeout })
    : await machine.spawn(argv, { cwd: '/', timeout, env, user: 'root' })
  const stop = () => void process.kill('SIGTERM').catch(() => {})
  // Also stops the command if `signal` was aborted while the command was starting.
  const watching = addAbortListener(signal, stop)
  process.stdin.on('error', () => {})
  process.stdin.end()
  const excerpt = new FailureExcerpt()
  const sender = new ProgressSender({ signal, stopSignal, report, record })
  const hear = (line: string) => {
    const plain = stripTerminalCodes(line).trim()
    if (!plain) return
    excerpt.add(plain)
    sender.add(plain)
  }
  const heard = [process.stdout, process.stderr].map((stream) =>
    forEachLine(stream, hear, { maxLineLength: 2_000, returns: true })
  )
  try {
    const { code } = await process.exit
    await Promise.all(heard)
    if (code !== 0) throw commandFailed(what, excerpt.toString())
  } finally {
    watching[Symbol.dispose]()
    // Sends the remaining lines. After a timeout they show where the command hangs.
    await sender.end()
  }
}

const ERROR_PATTERN =
  /(^|[\s([a-z])errors?([\s:!\])]|$)|\b(err_|err!|fatal|panic|exception|failed|forbidden|cannot find|not found)/i
const NO_ERROR_PATTERN = /^(npm )?(warn(ing)?|notice|info)\b|\b(0|no) errors?\b/i
/** Maximum number of lines that an excerpt takes from the first error on. */
const MAX_FIRST_LINES = 4
const MAX_LAST_LINES = 7

/** An excerpt of a failed command's output. A long build prints its error far above its last lines. */
class FailureExcerpt {
  #first: string[] = []
  #last: string[] = []
  #isShortened = false

  add(line: string): void {
    if (this.#first.length === 0 && ERROR_PATTERN.test(line) && !NO_ERROR_PATTERN.test(line)) {
      this.#first = [line]
      return
    }
    if (this.#first.length > 0 && this.#first.length < MAX_FIRST_LINES) {
      this.#first.push(line)
      return
    }
    this.#last.push(line)
    if (this.#last.length <= MAX_LAST_LINES) return
    this.#last.shift()
    this.#isShortened = true
  }

  toString(): string {
    return [...this.#first, ...(this.#isShortened ? ['…'] : []), ...this.#last].join('\n')
  }
}

const FOLLOW_FILES_SCRIPT = readScript(import.meta, 'follow_files.sh')

/** Number of lines from the end of the existing text that are sent first. */
const INITIAL_LINES = '200'
const MAX_LINE_LENGTH = 4_000
/** Maximum number of lines that wait to be sent. The oldest ones are dropped. */
const MAX_QUEUED_LINES = 1_000
const MAX_QUEUED_CHARACTERS = 256 * 1024

/**
 * Streams the lines that are added to files (`tail -F`), also after a file was replaced or emptied. Stops reading
 * while a batch is being sent, so that further output waits on the instance.
 * @returns a function that stops the stream
 */
export async function tailFiles(
  machine: Machine,
  files: string[],
  { lines, ended }: { lines: (lines: string[]) => Promise<void>; ended: () => void }
): Promise<() => void> {
  const argv = ['sh', '-c', FOLLOW_FILES_SCRIPT, 'berth-follow', INITIAL_LINES, ...files]
  const tail = commandAsOwner(argv, { cwd: '/' })
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
    // Reads and ignores the rest of the output. Unread output would keep the process's channel open.
    process.stdout.resume()
    void process.kill('SIGKILL').catch(() => {})
  }
}
