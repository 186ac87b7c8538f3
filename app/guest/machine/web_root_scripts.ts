import { toOctalEscapes } from '#guest/machine/raw_names'
import { webRoot } from '#guest/machine/web_root'
import { readScript } from '#packages/machine/read_script'

const SCRIPT_PROLOGUE = readScript(import.meta, 'web_root_prologue.sh')

/**
 * Returns a script that runs `body` in the web root as the web root's owner. `body` can use `$verb`, `$root`, its
 * arguments and `is_there NAME`.
 */
export function webRootScript(body: string): string {
  return `${SCRIPT_PROLOGUE}${body}`
}

export function webRootScriptArgv(script: string, verb: string, args: readonly string[]): string[] {
  return ['sh', '-c', script, 'sh', script, verb, webRoot.path, ...args.map(toOctalEscapes)]
}
