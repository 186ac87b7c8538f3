import { machineSays } from '#projects/errors'
import { eachLine, type ExecOptions, type Machine } from '#packages/machine/main'

/** The person whose files and processes projects are. */
const OWNER = 'berth'
const HOME = '/home/berth'

/** The command as the owner of sites runs it, whoever the connection belongs to. */
export function asOwner(argv: readonly string[], env: Record<string, string> = {}): string[] {
  const variables = Object.entries({ PM2_DISCRETE_MODE: 'true', ...env })
  const set = variables.map(([name, value]) => `${name}=${value}`)
  return ['sudo', '-n', '-H', '-u', OWNER, '--', 'env', ...set, ...argv]
}

/** Output of a command; a failing one becomes a refusal with the machine's own words. */
export async function run(
  machine: Machine,
  what: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<string> {
  const { code, stdout, stderr } = await machine.exec(argv, { cwd: '/', ...options })
  if (code === 0) return stdout.toString()
  throw machineSays(what, `${stderr}`.trim() || `${stdout}`)
}

/** As `run`, by the owner of sites. `env` must hold no secret: it shows in the process list. */
export function runAsOwner(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd = HOME, ...options }: ExecOptions = {}
): Promise<string> {
  return run(machine, what, asOwner(argv, env), { cwd, ...options })
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
    cwd = HOME,
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
  const process = owner
    ? await machine.spawn(asOwner(argv, env), { cwd, timeout })
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
