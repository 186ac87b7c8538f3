import { convertIfMachineError } from '#core/machine_errors'
import { commandFailed, outOfMemory } from '#guest/errors'
import type { ExecOptions, Machine, SpawnOptions } from '#packages/machine/main'

/** The user of the base image whose files and processes sites are. */
export const SITE_OWNER_USER = 'berth'
export const SITE_OWNER_HOME = '/home/berth'

/** More than any answer that is read whole; who answers is the tenant's. Bytes. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

type Owned = Pick<SpawnOptions, 'env' | 'cwd'>

// Not sudo: it writes the values of variables that it is to keep into the log. Over SSH it is the owner
// already, over a host it is root.
const AS_OWNER_SCRIPT = `export HOME=${SITE_OWNER_HOME} USER=${SITE_OWNER_USER} LOGNAME=${SITE_OWNER_USER}
[ "$(id -un)" = ${SITE_OWNER_USER} ] && exec "$@"
exec setpriv --reuid=${SITE_OWNER_USER} --regid=${SITE_OWNER_USER} --init-groups -- "$@"`

/**
 * The command as the owner of sites runs it, whoever the connection belongs to, with its options.
 * Variables go on standard input, so that no value shows in a process list or a log.
 */
export function commandAsOwner(
  argv: readonly string[],
  { env, cwd = SITE_OWNER_HOME }: Owned = {}
) {
  return { argv: ['sh', '-c', AS_OWNER_SCRIPT, 'berth-owner', ...argv], options: { cwd, env } }
}

/**
 * Output of a command, run as whom the connection belongs to, or by root with `user`. A failing one
 * becomes a refusal with the machine's own words.
 * @param what what did not work then, as the beginning of a sentence
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

/** What the kernel says where no process can be made any more. */
const OUT_OF_MEMORY_PATTERN = /cannot fork|cannot allocate memory|resource temporarily unavailable/i

/** As `runCommand`, by the owner of sites. */
export function runAsOwner(
  machine: Machine,
  what: string,
  argv: string[],
  { env, cwd, ...options }: ExecOptions = {}
): Promise<string> {
  const owned = commandAsOwner(argv, { env, cwd })
  return runCommand(machine, what, owned.argv, { ...owned.options, ...options })
}

/** Text without the escape sequences of terminals. */
export function stripTerminalCodes(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
}

/** Turns the loss of a machine into a refusal. */
export async function translateMachineErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw convertIfMachineError(error)
  }
}
