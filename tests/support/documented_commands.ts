import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { installRoot } from '../../cli/paths.js'

export interface CodeBlock {
  file: string
  /** Language of the code block, for example `sh`, `sql` or `ini`. */
  language: string
  text: string
}

/** Reads the code blocks of the guides, the runbooks and the README, sorted by file. */
export async function readAllCodeBlocks(): Promise<CodeBlock[]> {
  const files = ['README.md']
  for await (const file of glob('docs/{guides,runbooks}/*.md', { cwd: installRoot }))
    files.push(file)
  return files.sort().flatMap(readCodeBlocks)
}

export function readCodeBlocks(file: string): CodeBlock[] {
  const text = readFileSync(join(installRoot, file), 'utf8')
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, inside]) => ({
    file,
    language,
    text: inside,
  }))
}

/** Returns the commands of a code block, each joined into one line and without a comment at its end. */
export function listCommands({ text }: CodeBlock): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll(/'[^']*\n[^']*'/g, (quoted) => quoted.replaceAll(/\n\s*/g, ' '))
    .split('\n')
    .map((line) => line.replace(/\s{2,}#.*$/, '').trim())
    .filter(Boolean)
}

/**
 * Returns the command unchanged. A test that runs it therefore runs exactly the documented command.
 * @throws if the file does not contain the command
 */
export function documentedCommand(file: string, command: string): string {
  const known = readCodeBlocks(file).flatMap(listCommands)
  if (known.includes(command)) return command
  throw new Error(`${file} no longer says: ${command}`)
}
