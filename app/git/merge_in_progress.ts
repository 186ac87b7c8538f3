import type { Actor } from '#core/contracts/actor'
import { gitError } from '#git/errors'
import { assertGitSucceeded, committerVariables, splitGitOutput } from '#git/repository'
import { runGit } from '#git/machine/run_git'
import { bytesToLosslessText, encodePathInWebRoot } from '#guest/public'
import type { ExecOptions, Machine } from '#packages/machine/main'

/** The same limit as for the text editor. */
const MAX_CONFLICT_FILE_BYTES = 2 * 1024 * 1024

/** Kind of content on one side of a conflict. Only a `file` can contain text to edit. */
export type ConflictContentKind = 'file' | 'deleted' | 'link' | 'repository'

export interface MergeConflict {
  /** Relative to the repository, encoded as in requests. */
  file: string
  ours: ConflictContentKind
  theirs: ConflictContentKind
}

export interface MergeState {
  /** Title of the merge, for example "Merge branch 'feature'". */
  title: string
  conflicts: MergeConflict[]
}

export type ConflictSideContent =
  | { kind: 'text'; text: string }
  /** Content that cannot be shown, and its size in bytes. */
  | { kind: 'binary' | 'large'; size: number }
  | { kind: 'deleted' }

export interface ConflictSides {
  ours: ConflictSideContent
  theirs: ConflictSideContent
}

export type ConflictResolution = { keep: 'ours' | 'theirs' } | { keep: 'text'; text: string }

/** A merge with conflicts. Every method throws 409 if no merge is in progress. */
export class MergeInProgress {
  readonly #machine: Machine
  readonly #path: string

  constructor(machine: Machine, path: string) {
    this.#machine = machine
    this.#path = path
  }

  async read(): Promise<MergeState> {
    const output = await this.#run('conflicts')
    const end = output.indexOf(0)
    if (end === -1) throw gitError('Git sent an answer that cannot be read.')
    return {
      title: output.subarray(0, end).toString(),
      conflicts: readConflicts(output.subarray(end + 1)),
    }
  }

  /** @throws 404 if the file has no conflict, 409 if it is a symbolic link or a submodule */
  async sides(file: string): Promise<ConflictSides> {
    const output = await this.#run('conflict', [file, String(MAX_CONFLICT_FILE_BYTES)])
    const end = output.indexOf('\n')
    const [ours, theirs] = output.subarray(0, end).toString().split(' ', 2)
    let rest = output.subarray(end + 1)
    const next = (sizeField: string): ConflictSideContent => {
      if (sizeField === '-') return { kind: 'deleted' }
      const size = Number(sizeField)
      if (size > MAX_CONFLICT_FILE_BYTES) return { kind: 'large', size }
      const content = rest.subarray(0, size)
      rest = rest.subarray(size)
      return sideOf(content)
    }
    return { ours: next(ours), theirs: next(theirs) }
  }

  /** @throws 404 if the file has no conflict */
  async solve(file: string, solution: ConflictResolution): Promise<void> {
    const stdin = solution.keep === 'text' ? solution.text : undefined
    await this.#run('solve', [file, solution.keep], { stdin })
  }

  /** @throws 409 while conflicts are unresolved */
  async finish(by: Actor): Promise<void> {
    await this.#run('finish', [], { env: committerVariables(by) })
  }

  async abort(): Promise<void> {
    await this.#run('abort')
  }

  async #run(
    verb: string,
    rest: string[] = [],
    options: Pick<ExecOptions, 'env' | 'stdin'> = {}
  ): Promise<Buffer> {
    const result = await runGit(this.#machine, verb, this.#path, rest, options)
    assertGitSucceeded(result)
    return result.stdout
  }
}

/**
 * Parses the output of `git ls-files -u -z`. It has mode, object, side (2 is ours, 3 is theirs) and
 * name for each existing side of a conflict.
 */
function readConflicts(output: Buffer): MergeConflict[] {
  const conflicts = new Map<string, MergeConflict>()
  for (const line of splitGitOutput(bytesToLosslessText(output), '\0').filter(Boolean)) {
    const [mode, , side] = line.split(/[ \t]/, 3)
    const name = line.slice(line.indexOf('\t') + 1)
    const known = conflicts.get(name) ?? {
      file: encodePathInWebRoot(name),
      ours: 'deleted' as const,
      theirs: 'deleted' as const,
    }
    if (side === '2') known.ours = kindOf(mode)
    if (side === '3') known.theirs = kindOf(mode)
    conflicts.set(name, known)
  }
  return [...conflicts.values()]
}

function kindOf(mode: string): ConflictContentKind {
  if (mode === '120000') return 'link'
  return mode === '160000' ? 'repository' : 'file'
}

function sideOf(content: Buffer): ConflictSideContent {
  const text = content.includes(0) ? null : textOrNull(content)
  return text === null ? { kind: 'binary', size: content.length } : { kind: 'text', text }
}

function textOrNull(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}
