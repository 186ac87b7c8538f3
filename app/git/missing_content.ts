import { runGit } from '#git/machine/run_git'
import { splitGitOutput } from '#git/repository'
import type { Machine } from '#packages/machine/main'

const TIMEOUT_MS = 30_000
const MAX_STORED_PATHS = 1_000
const MAX_LISTED_PATHS = 10

/**
 * Content that git did not download. The paths are only for display. Each list has at most 1,000.
 */
export interface MissingContent {
  submodules: string[]
  /** Files that contain only a Git LFS pointer instead of their content. */
  lfsFiles: string[]
  /** Lists that are incomplete because Berth could not search. */
  unknown: ('submodules' | 'lfsFiles')[]
}

/** Never throws, because the user's git command has already succeeded. */
export async function findMissingContent(machine: Machine, path: string): Promise<MissingContent> {
  const records = await runGit(machine, 'missing', path, [], { timeout: TIMEOUT_MS })
    .then(({ stdout }) => splitGitOutput(stdout.toString(), '\0').slice(0, -1))
    .catch(() => [])
  const found = new Set(records)
  const pathsWith = (prefix: string) =>
    [...found]
      .filter((record) => record.startsWith(prefix))
      .slice(0, MAX_STORED_PATHS)
      .map((record) => record.slice(prefix.length).toWellFormed())
  const completionRecords = { submodules: 'S', lfsFiles: 'L' }
  const unknown = (['submodules', 'lfsFiles'] as const).filter(
    (list) => !found.has(completionRecords[list])
  )
  return { submodules: pathsWith('s'), lfsFiles: pathsWith('./'), unknown }
}

const labels = { submodules: 'submodules', lfsFiles: 'files of Git LFS' }

export function describeMissingContent(missing: MissingContent): string[] {
  const { submodules, lfsFiles, unknown } = missing
  return [
    submodules.length > 0 &&
      `Submodules were not downloaded, so these folders are empty or at another commit: ${listPaths(submodules)}. Run “git submodule update --init” in the terminal.`,
    lfsFiles.length > 0 &&
      `The content of these files is in Git LFS and was not downloaded: ${listPaths(lfsFiles)}. Install git-lfs and run “git lfs pull” in the terminal.`,
    unknown.length > 0 &&
      `Berth could not find out whether ${unknown.map((list) => labels[list]).join(' and ')} are missing. Run “git submodule status” and “git lfs ls-files” in the terminal.`,
  ].filter((note) => note !== false)
}

function listPaths(paths: string[]): string {
  const more = paths.length - MAX_LISTED_PATHS
  return `${paths.slice(0, MAX_LISTED_PATHS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
