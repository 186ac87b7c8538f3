import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { installRoot } from '../../cli/paths.js'

/** A fenced block of the documentation. */
export interface CodeBlock {
  file: string
  /** `sh`, `sql`, `ini` and the like. */
  language: string
  text: string
}

/** All blocks of guides, runbooks and README, in their order. */
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

/** The commands of a block, each in one line as it is written, without what explains it. */
export function listCommands({ text }: CodeBlock): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll(/'[^']*\n[^']*'/g, (quoted) => quoted.replaceAll(/\n\s*/g, ' '))
    .split('\n')
    .map((line) => line.replace(/\s{2,}#.*$/, '').trim())
    .filter(Boolean)
}

/** A command of the documentation, for a test that runs it as it stands there. Throws where it does not. */
export function documentedCommand(file: string, command: string): string {
  const known = readCodeBlocks(file).flatMap(listCommands)
  if (known.includes(command)) return command
  throw new Error(`${file} no longer says: ${command}`)
}
