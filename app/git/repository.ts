import type { Actor } from '#core/contracts/actor'
import { RepositoryAddress } from '#git/repository_address'
import type { SshCredentials } from '#git/deploy_keys'
import { AppError } from '#core/app_error'
import { gitError, mergeConflict } from '#git/errors'
import {
  gitCommandError,
  gitErrorMessage,
  gitTransferError,
  hookErrorMessage,
} from '#git/git_error_messages'
import { runGit } from '#git/machine/run_git'
import { encodePathInWebRoot } from '#guest/public'
import type { ExecResult, Machine } from '#packages/machine/main'

export interface GitInfo {
  /** Relative to the web root, encoded as in requests. `''` is the web root itself. */
  path: string
  branches: {
    /** Checked-out branch. If none is checked out, the short hash of the commit. */
    current: string
    locals: string[]
    remotes: Record<string, string[]>
  }
  detached: boolean
  /** True: the current branch has no commit yet. */
  unborn: boolean
  merging: boolean
}

const MAX_GIT_RECORDS = 100_000
/**
 * Maximum number of slash-separated parts of a remote's name. Names of remotes seldom contain a
 * slash.
 */
const MAX_REMOTE_DEPTH = 16

export type MergeResult = 'unchanged' | 'changed' | 'conflicts'

/** The git repository that contains a folder below the web root. It never lies above the web root. */
export class Repository {
  readonly #machine: Machine
  readonly #path: string
  readonly #signIn: (address: RepositoryAddress) => Promise<SshCredentials | null>

  constructor(
    machine: Machine,
    path: string,
    /** Loads the deploy key for a remote. Returns null if the instance has none for it. */
    signIn: (address: RepositoryAddress) => Promise<SshCredentials | null> = async () => null
  ) {
    this.#machine = machine
    this.#path = path
    this.#signIn = signIn
  }

  /** @throws 404 if there is no repository */
  async details(): Promise<GitInfo> {
    const result = await runGit(this.#machine, 'details', this.#path)
    assertGitSucceeded(result)
    return readDetails(result.stdout.toString())
  }

  /**
   * Checks out a branch. For a remote branch, creates a local one that tracks it. Returns the local
   * name, and a message if git or its hook post-checkout failed after the switch.
   * @throws 409 if local changes would be lost
   */
  async checkout(branch: string): Promise<{ branch: string; error?: string }> {
    const result = await runGit(this.#machine, 'checkout', this.#path, [branch])
    assertGitSucceeded(result)
    const [failed, name] = result.stdout.toString().split('\n', 2)
    if (failed === '') return { branch: name }
    const stderr = result.stderr.toString()
    const isHook = failed === 'hook' && !/^fatal:/m.test(stderr)
    const error = isHook
      ? hookErrorMessage('post-checkout', stderr)
      : `Git reported an error: ${gitErrorMessage(stderr) || 'no message'}`
    return { branch: name, error }
  }

  /**
   * Merges a branch. If there are conflicts, `keep` leaves the merge open. Without `keep`, aborts
   * it and throws 409.
   */
  async merge(branch: string, by: Actor, keep = false): Promise<MergeResult> {
    const rest = [branch, keep ? 'keep' : 'undo']
    const options = { env: committerVariables(by) }
    return mergeResultOf(await runGit(this.#machine, 'merge', this.#path, rest, options), keep)
  }

  /** `keep` as for `merge`. */
  async pull(branch: string, by: Actor, keep = false): Promise<MergeResult> {
    const source = await runGit(this.#machine, 'source', this.#path, [branch])
    assertGitSucceeded(source)
    const [remote, name, url] = source.stdout.toString().split('\0', 3)
    if (url === undefined) throw gitError('Git sent an answer that cannot be read.')
    const address = await RepositoryAddress.ofRemote(url)
    const rest = [remote, name, keep ? 'keep' : 'undo', ...(await address.settings())]
    const access = await this.#signIn(address)
    const result = await runGit(this.#machine, 'pull', this.#path, rest, {
      env: { ...committerVariables(by), ...access?.env },
      stdin: access?.privateKey,
    })
    if (result.code === 55) {
      throw gitTransferError(result.stderr.toString(), { server: access?.server })
    }
    return mergeResultOf(result, keep)
  }

  /**
   * Removes the lock of an interrupted git command.
   * @throws 409 if git runs in the repository, or the lock is less than 10 seconds old
   */
  async removeLock(): Promise<void> {
    assertGitSucceeded(await runGit(this.#machine, 'unlock', this.#path))
  }

  /** The branch must be merged and not checked out. */
  async delete(branch: string): Promise<void> {
    assertGitSucceeded(await runGit(this.#machine, 'delete', this.#path, [branch]))
  }
}

/**
 * @throws AppError 409 if a hook rejected the action, otherwise an error with git's message and
 *   advice
 */
export function assertGitSucceeded({ code, stdout, stderr }: ExecResult): void {
  if (code === 62 && !/^fatal:/m.test(stderr.toString())) {
    const message = hookErrorMessage(stdout.toString(), stderr.toString())
    throw new AppError('git_refused', 409, `Nothing was changed. ${message}`)
  }
  if (code !== 0) throw gitCommandError(stderr.toString())
}

function mergeResultOf(result: ExecResult, keep: boolean): MergeResult {
  if (result.code === 51) {
    if (keep) return 'conflicts'
    throw mergeConflict(splitGitOutput(result.stdout.toString(), '\0').filter(Boolean))
  }
  assertGitSucceeded(result)
  return result.stdout.length > 0 ? 'changed' : 'unchanged'
}

/**
 * Returns the variables with which git commits in the person's name, if git's settings have no
 * `user.email`.
 */
export function committerVariables({ name, email }: Actor): Record<string, string> {
  return { BERTH_NAME: name, BERTH_EMAIL: email }
}

function readDetails(output: string): GitInfo {
  const [folder, rest] = output.split('\0', 2)
  if (rest === undefined) throw gitError('Git sent an answer that cannot be read.')
  const [head, commit, merging, ...lines] = splitGitOutput(rest, '\n')
  const gap = lines.indexOf('')
  const remotes = new Map<string, string[]>(lines.slice(0, gap).map((name) => [name, []]))
  const locals: string[] = []
  for (const line of lines.slice(gap + 1).filter(Boolean)) {
    const [ref, symbolic] = line.split(' ')
    if (ref.startsWith('refs/heads/')) locals.push(ref.slice('refs/heads/'.length))
    else if (!symbolic) addRemote(remotes, ref.slice('refs/remotes/'.length))
  }
  const current = head.replace(/^refs\/heads\//, '')
  return {
    path: encodePathInWebRoot(folder.replace(/^\//, '')),
    branches: { current: current || commit, locals, remotes: Object.fromEntries(remotes) },
    detached: !head,
    unborn: Boolean(head) && !locals.includes(current),
    merging: merging !== '',
  }
}

/**
 * Names of remotes can contain slashes, so the longest name that the ref begins with is the remote.
 */
function addRemote(remotes: Map<string, string[]>, ref: string): void {
  let remote: string | undefined
  let end = ref.indexOf('/')
  for (let depth = 1; end !== -1 && depth <= MAX_REMOTE_DEPTH; depth++) {
    if (remotes.has(ref.slice(0, end))) remote = ref.slice(0, end)
    end = ref.indexOf('/', end + 1)
  }
  if (remote) remotes.get(remote)!.push(ref.slice(remote.length + 1))
}

/**
 * Splits git's output, with a limit: root of the instance can replace git by a program that prints
 * millions of short lines.
 * @throws AppError if there are more than `MAX_GIT_RECORDS` records
 */
export function splitGitOutput(output: string, separator: string): string[] {
  const records = output.split(separator, MAX_GIT_RECORDS + 1)
  if (records.length <= MAX_GIT_RECORDS) return records
  throw gitError(
    `The repository has more than ${MAX_GIT_RECORDS.toLocaleString('en')} branches or files to list. Use git in the terminal.`
  )
}
