import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/**
 * Matches the first line of a PHP file, and the comment at the top of a script. Both would only make a command line
 * longer.
 */
const HEAD_PATTERN = /^(?:<\?php\n)?(?:(?:#|\/\/).*\n)*\n*/

/**
 * Reads a script file in the folder of the calling module. The script runs elsewhere, such as a shell script in an
 * instance. Call it once, when the module loads. Several files are joined to one script.
 * @throws Error if a file is missing
 */
export function readScript({ dirname }: ImportMeta, ...names: string[]): string {
  return names
    .map((name) => readFileSync(join(dirname, name), 'utf8').replace(HEAD_PATTERN, ''))
    .join('')
}

/**
 * Reads a TypeScript module without imports, and returns it as JavaScript that runs elsewhere, for example in an
 * instance. If Berth runs from the sources, Node removes the types and prints one warning.
 */
export function readModule({ dirname, filename }: ImportMeta, name: string): string {
  const path = join(dirname, name)
  return filename.endsWith('.js')
    ? readFileSync(`${path}.js`, 'utf8')
    : stripTypeScriptTypes(readFileSync(`${path}.ts`, 'utf8'))
}
