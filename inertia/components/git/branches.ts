import type { GitInfo } from './types'

export interface Branch {
  /** Name of the branch. For a remote branch it starts with the remote's name. */
  name: string
  /** Name of the remote. Null for local branches. */
  remote: string | null
  current: boolean
}

export type BranchAction = 'checkout' | 'merge' | 'pull' | 'delete'

/** Returns the current branch, then other local branches, then remote ones. */
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
 * Returns the possible actions of a branch, with the reason if one is disabled (docs/product.md, "Files and git"). The
 * current branch cannot be merged or pulled. Only local branches can be deleted.
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
