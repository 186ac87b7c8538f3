import { errorForExitCode } from '#git/errors'
import { GIT_SCRIPT } from '#git/machine/git_script'
import { translateMachineErrors, webRootScriptArgv } from '#guest/machine/public_without_database'
import type { ExecOptions, ExecResult, Machine } from '#packages/machine/main'

/** What git on one branch may take, in milliseconds. */
const GIT_TIMEOUT_MS = 120_000

/** The argument list that runs one verb of the script on a path below the web root. */
export function gitScriptArgv(verb: string, path: string, rest: string[] = []): string[] {
  return webRootScriptArgv(GIT_SCRIPT, verb, [path, ...rest])
}

/** Git's settings as arguments. */
export function gitConfigArguments(pairs: Record<string, string>): string[] {
  return Object.entries(pairs).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Runs one verb. Codes that mean the same for every verb become refusals; 50 and above are the
 * caller's to explain. A machine that cannot be reached is refused with 503.
 */
export async function runGit(
  machine: Machine,
  verb: string,
  path: string,
  rest: string[] = [],
  options: Pick<ExecOptions, 'env' | 'stdin'> = {}
): Promise<ExecResult> {
  const result = await translateMachineErrors(() =>
    machine.exec(gitScriptArgv(verb, path, rest), { ...options, timeout: GIT_TIMEOUT_MS })
  )
  const outcome = errorForExitCode(result.code)
  if (outcome) throw outcome
  return result
}
