import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** Matches the first line of a PHP file, and the comment at the top of a file. A command line needs neither. */
const HEAD_PATTERN = /^(?:<\?php\n)?(?:(?:#|\/\/).*\n)*\n*/

/**
 * Reads a program in the same folder as a module that runs elsewhere, such as a shell script in an instance. Call it
 * once, when the module is loaded. Joins several files to one program.
 * @throws Error if a file is missing
 */
export function readScript({ dirname }: ImportMeta, ...names: string[]): string {
  return names
    .map((name) => readFileSync(join(dirname, name), 'utf8').replace(HEAD_PATTERN, ''))
    .join('')
}

/**
 * Reads a module that imports nothing, as JavaScript, so that it can run elsewhere. In the sources Node
 * removes the types, and warns once that it does.
 */
export function readModule({ dirname, filename }: ImportMeta, name: string): string {
  const path = join(dirname, name)
  return filename.endsWith('.js')
    ? readFileSync(`${path}.js`, 'utf8')
    : stripTypeScriptTypes(readFileSync(`${path}.ts`, 'utf8'))
}
