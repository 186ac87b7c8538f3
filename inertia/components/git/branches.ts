import type { GitInfo } from './types'

/** One line of the branch menu. */
export interface Branch {
  /** As calls name it: a remote's with the remote in front. */
  name: string
  /** null for local branches */
  remote: string | null
  current: boolean
}

export type BranchAction = 'checkout' | 'merge' | 'pull' | 'delete'

/** The branches of a repository, local ones first and the current one first of all. */
export function branchesFromGitInfo({ branches, detached, unborn }: GitInfo): Branch[] {
  const { current, locals, remotes } = branches
  const own = unborn ? [current, ...locals] : locals
  const local = own.map((name) => ({ name, remote: null, current: !detached && name === current }))
  const far = Object.entries(remotes).flatMap(([remote, names]) =>
    names.map((name) => ({ name: `${remote}/${name}`, remote, current: false }))
  )
  return [...local.filter((branch) => branch.current), ...local.filter((b) => !b.current), ...far]
}

/**
 * What can be done with a branch, and why not (product, "Files and git"): merging and
 * pulling are not offered for the current one, deleting for local ones only.
 */
export function branchActions(
  branch: Branch,
  merging = false
): { action: BranchAction; reason: string | null }[] {
  const reason = branch.current ? 'This is the current branch.' : null
  const busy = merging ? 'A merge is in progress. Finish or abort it first.' : null
  return [
    { action: 'checkout' as const, reason: reason ?? busy },
    ...(branch.current
      ? []
      : [
          { action: 'merge' as const, reason: busy },
          { action: 'pull' as const, reason: busy },
        ]),
    ...(branch.remote === null ? [{ action: 'delete' as const, reason }] : []),
  ]
}
