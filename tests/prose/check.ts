/**
 * Prints words and phrases that a stranger would have to decode (`terms.ts`), regional values in the code, and long
 * sentences of documents. Exits with 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  problemsOfCode,
  problemsOfComments,
  problemsOfDocument,
  problemsOfPath,
  regionalProblems,
} from './find_problems.js'

const root = join(import.meta.dirname, '../..')
const FOLDERS = [
  'app',
  'bin',
  'cli',
  'commands',
  'config',
  'inertia',
  'packages',
  'providers',
  'start',
]
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs']
const isTest = (path: string) => /(^|\/)tests?\/|\.(spec|test)\.tsx?$|_setup\.ts$/.test(path)

/** Lists tracked and new files, without deleted ones. */
function projectFiles(paths: string[]): string[] {
  const argv = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths]
  return execFileSync('git', argv, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path && existsSync(join(root, path)))
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const code = projectFiles(FOLDERS).filter((path) => !isTest(path))
const problems = code.flatMap((path) => {
  const named = problemsOfPath(path)
  if (!/\.tsx?$/.test(path)) return named
  const source = read(path)
  return named.concat(problemsOfCode(path, source), regionalProblems(path, source))
})
for (const path of projectFiles([...FOLDERS, 'bench', 'tests'])) {
  if (/\.tsx?$/.test(path) && !code.includes(path)) {
    problems.push(...problemsOfComments(path, read(path)))
  }
}
for (const path of projectFiles(DOCUMENTS).filter((each) => each.endsWith('.md'))) {
  // The tables of these documents quote titles of tests and of benchmarks.
  const isQuoting = /^docs\/(benchmarks|conformance|security)\.md$/.test(path)
  const text = read(path)
  problems.push(...problemsOfDocument(path, isQuoting ? text.replace(/^\|.*$/gm, '') : text))
}
for (const { path, line, text, term, better } of problems) {
  process.stderr.write(`${path}:${line} “${text}” contains “${term}”. Better: ${better}\n`)
  process.exitCode = 1
}
