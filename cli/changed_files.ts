import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from './berth_home.js'
import { installRoot } from './paths.js'
import { print } from './print.js'
import { runProgram } from './run_program.js'

/**
 * Compares with the branch point on `main`. Includes uncommitted, new and deleted files.
 * @throws CliError outside a git checkout
 */
export async function listChangedFiles(cwd = installRoot): Promise<string[]> {
  const base = await findBranchPoint(cwd)
  const lists = await Promise.all([
    git(['diff', '--name-only', '--no-renames', '-z', base, '--'], cwd),
    git(['ls-files', '--others', '--exclude-standard', '-z'], cwd),
  ])
  if (lists.some((list) => list === undefined)) {
    throw new CliError('--changed works only in a git checkout')
  }
  return lists.flatMap((list) => list!.split('\0').filter(Boolean)).sort()
}

/** Without a branch `main`, prints a message and returns `HEAD`. */
async function findBranchPoint(cwd: string): Promise<string> {
  for (const main of ['origin/main', 'main']) {
    const base = await git(['merge-base', 'HEAD', main], cwd)
    if (base) return base.trim()
  }
  print('This checkout has no branch main: checking only uncommitted changes')
  return 'HEAD'
}

async function git(args: string[], cwd: string): Promise<string | undefined> {
  const { code, output } = await runProgram(['git', ...args], { cwd })
  return code === 0 ? output : undefined
}

export function existingFiles(files: string[]): string[] {
  return files.filter((file) => existsSync(join(installRoot, file)))
}
