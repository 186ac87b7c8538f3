import { machineSays, outOfMemory } from '#projects/errors'
import { eachLine, type ExecOptions, type Machine, type SpawnOptions } from '#packages/machine/main'

/** The person whose files and processes projects are. */
const OWNER = 'berth'
const HOME = '/home/berth'

/** More than any answer that is read whole; who answers is the tenant's. Bytes. */
const MAX_OUTPUT = 4 * 1024 * 1024

/** How often PM2 looks at the memory of its apps, in ms; whichever command wakes its daemon tells it. */
export const PM2_LOOKS_EVERY = '2000'

type Owned = Pick<SpawnOptions, 'env' | 'cwd'>

// Not sudo: it writes the values of variables that it is to keep into the log. Over SSH it is the owner
// already, over a host it is root.
const AS_OWNER = `export HOME=${HOME} USER=${OWNER} LOGNAME=${OWNER}
[ "$(id -un)" = ${OWNER} ] && exec "$@"
exec setpriv --reuid=${OWNER} --regid=${OWNER} --init-groups -- "$@"`

/**
 * The command as the owner of sites runs it, whoever the connection belongs to, with its options.
 * Variables go on standard input, so that no value shows in a process list or a log.
 */
export function asOwner(argv: readonly string[], { env, cwd = HOME }: Owned = {}) {
  const ours = { PM2_DISCRETE_MODE: 'true', PM2_WORKER_INTERVAL: PM2_LOOKS_EVERY }
  const owned = ['sh', '-c', AS_OWNER, 'berth-owner', ...argv]
  return { argv: owned, options: { cwd, env: { ...env, ...ours } } }
}

/** Output of a command; a failing one becomes a refusal with the machine's own words. */
export async function run(
  machine: Machine,
  what: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<string> {
  const wanted = { cwd: '/', maxOutput: MAX_OUTPUT, ...options }
  const { code, signal, stdout, stderr } = await machine.exec(argv, wanted)
  if (code === 0) return stdout.toString()
  const words = withoutColours(`${stderr}`.trim() || `${stdout}`)
  if (signal === 'SIGKILL' || code === 137 || NO_MEMORY.test(words)) throw outOfMemory(what)
  throw machineSays(what, words)
}

/** What the kernel says where no process can be made any more. */
const NO_MEMORY = /cannot fork|cannot allocate memory|resource temporarily unavailable/i

/** As `run`, by the owner of sites. */
export function runAsOwner(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd, ...options }: ExecOptions = {}
): Promise<string> {
  const owned = asOwner(argv, { env, cwd })
  return run(machine, what, owned.argv, { ...owned.options, ...options })
}

/**
 * As `runAsOwner` for work of minutes: every line that it writes is told as it comes, and the end
 * of its output is the reason when it fails.
 */
export async function follow(
  machine: Machine,
  what: string,
  argv: string[],
  {
    env,
    cwd,
    timeout,
    signal,
    owner = true,
    tell,
  }: {
    env?: Record<string, string>
    cwd?: string
    timeout: number
    signal: AbortSignal
    /** False for root. */
    owner?: boolean
    tell: (line: string) => Promise<void>
  }
): Promise<void> {
  const owned = asOwner(argv, { env, cwd })
  const process = owner
    ? await machine.spawn(owned.argv, { ...owned.options, timeout })
    : await machine.spawn(argv, { cwd: '/', timeout, env, user: 'root' })
  const stop = () => void process.kill('SIGTERM').catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  process.stdin.on('error', () => {})
  process.stdin.end()
  const last: string[] = []
  let told = 0
  let telling = Promise.resolve()
  const hear = (line: string) => {
    const plain = withoutColours(line).trim().slice(0, 300)
    if (!plain) return
    last.push(plain)
    if (last.length > 40) last.shift()
    if (Date.now() - told < 400) return
    told = Date.now()
    telling = telling.then(() => tell(plain)).catch(() => {})
  }
  const heard = [process.stdout, process.stderr].map((stream) =>
    eachLine(stream, hear, { longest: 2_000, returns: true })
  )
  try {
    const { code } = await process.exit
    await Promise.all(heard)
    await telling
    if (code !== 0) throw machineSays(what, last.join('\n'))
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Text without the escape sequences of terminals. */
export function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
}
