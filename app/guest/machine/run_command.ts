import { toAppErrorIfMachineError } from '#core/machine_errors'
import { commandFailed, outOfMemory } from '#guest/errors'
import type { ExecOptions, Machine, SpawnOptions } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

export const SITE_OWNER_USER = 'berth'
export const SITE_OWNER_HOME = '/home/berth'

/** The customer controls the instance, so commands may print any amount. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

type Owned = Pick<SpawnOptions, 'env' | 'cwd'>

const AS_OWNER_SCRIPT = readScript(import.meta, 'run_as_owner.sh')

/**
 * Builds a command that runs as the site owner. It gets environment variables through standard input, so that no value
 * appears in a process list or a log.
 */
export function commandAsOwner(
  argv: readonly string[],
  { env, cwd = SITE_OWNER_HOME }: Owned = {}
) {
  const owner = ['berth-owner', SITE_OWNER_USER, SITE_OWNER_HOME]
  return { argv: ['sh', '-c', AS_OWNER_SCRIPT, ...owner, ...argv], options: { cwd, env } }
}

/**
 * Runs a command as the connection's login user, or as root if `options.user` is `root`. If it fails, the error
 * contains the command's output, except if the instance's memory is full.
 * @param what beginning of the error message
 */
export async function runCommand(
  machine: Machine,
  what: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<string> {
  const wanted = { cwd: '/', maxOutput: MAX_OUTPUT_BYTES, ...options }
  const { code, signal, stdout, stderr } = await machine.exec(argv, wanted)
  if (code === 0) return stdout.toString()
  const output = stripTerminalCodes(`${stderr}`.trim() || `${stdout}`)
  if (signal === 'SIGKILL' || code === 137 || OUT_OF_MEMORY_PATTERN.test(output))
    throw outOfMemory(what)
  throw commandFailed(what, output)
}

const OUT_OF_MEMORY_PATTERN = /cannot fork|cannot allocate memory|resource temporarily unavailable/i

export function runAsOwner(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd, ...options }: ExecOptions = {}
): Promise<string> {
  const owned = commandAsOwner(argv, { env, cwd })
  return runCommand(machine, what, owned.argv, { ...owned.options, ...options })
}

export function stripTerminalCodes(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
}

export async function translateMachineErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toAppErrorIfMachineError(error)
  }
}
