import { errorForExitCode } from '#git/errors'
import {
  findStarterPage,
  translateMachineErrors,
  webRootScript,
  webRootScriptArgv,
} from '#guest/public_effects'
import type { ExecOptions, ExecResult, Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const GIT_SCRIPT = webRootScript(readScript(import.meta, 'git.sh'))

const GIT_TIMEOUT_MS = 120_000

export function gitScriptArgv(verb: string, path: string, rest: string[] = []): string[] {
  return webRootScriptArgv(GIT_SCRIPT, verb, [path, ...rest])
}

export function gitConfigArguments(pairs: Record<string, string>): string[] {
  return Object.entries(pairs).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Returns variables that describe the target's unchanged starter page. With them, the verbs `look`
 * and `clone` of the script accept a folder with that page, and `place` replaces the page.
 */
export async function starterPageVariables(
  machine: Machine,
  target: string
): Promise<Record<string, string>> {
  const page = await findStarterPage(machine, target)
  return page ? { BERTH_STARTER_NAME: page.name, BERTH_STARTER_HASH: page.hash } : {}
}

/**
 * Runs `git.sh`. Throws the errors of the exit codes that `errorForExitCode` knows. The caller
 * handles the other codes.
 * @throws 503 if the instance is unreachable
 */
export async function runGit(
  machine: Machine,
  verb: string,
  path: string,
  rest: string[] = [],
  options: Pick<ExecOptions, 'env' | 'stdin' | 'timeout'> = {}
): Promise<ExecResult> {
  const result = await translateMachineErrors(() =>
    machine.exec(gitScriptArgv(verb, path, rest), { timeout: GIT_TIMEOUT_MS, ...options })
  )
  const outcome = errorForExitCode(result.code)
  if (outcome) throw outcome
  return result
}
