import { conflict } from '#core/app_error'
import { MAX_FILES_PER_CALL, permissionDenied } from '#files/errors'
import type { ExistingEntry } from '#files/machine/web_root'
import { encodePathInWebRoot, parsePathInWebRoot } from '#guest/public'

/** The user's decision about files of the archive whose paths already exist at the destination. */
export interface ExistingFilesPolicy {
  action: 'skip' | 'replace'
  /** Paths that get the opposite of `action`, relative to the destination, encoded as in requests. */
  exceptions: string[]
}

/** Decisions about existing paths, which are relative to the destination. */
export interface MergePlan {
  folders: string[]
  skipped: string[]
  replaced: string[]
  undecided: string[]
}

const MAX_LISTED_NAMES = 20

/**
 * Decides for each existing path whether it is merged, skipped or replaced. Without a policy, all
 * paths but folders stay undecided.
 * @throws 403 if an existing path is not writable; 409 if only one of both entries is a folder, or
 *   if an entry would replace one of another kind, such as a link
 */
export function planMerge(entries: ExistingEntry[], policy?: ExistingFilesPolicy): MergePlan {
  const plan: MergePlan = { folders: [], skipped: [], replaced: [], undecided: [] }
  const exceptions = new Set(policy?.exceptions.map((path) => parsePathInWebRoot(path)))
  for (const { path, unpacked, there, isWritable } of entries) {
    if (!isWritable) throw permissionDenied()
    if ((unpacked === 'folder') !== (there === 'folder')) throw cannotMerge(path, unpacked, there)
    if (unpacked === 'folder') {
      plan.folders.push(path)
      continue
    }
    if (!policy) {
      plan.undecided.push(path)
      continue
    }
    const replaces = (policy.action === 'replace') !== exceptions.has(path)
    if (replaces && there !== unpacked) throw cannotMerge(path, unpacked, there)
    if (replaces) plan.replaced.push(path)
    else plan.skipped.push(path)
  }
  return plan
}

/** Names for display. Bytes that are not UTF-8 are replaced. */
export interface ExistingFiles {
  skipped: { count: number; names: string[] }
  replaced: { count: number; names: string[] }
}

export function describeExistingFiles({ skipped, replaced }: MergePlan): ExistingFiles {
  const describe = (paths: string[]) => ({
    count: paths.length,
    names: paths.slice(0, MAX_LISTED_NAMES).map((path) => path.toWellFormed()),
  })
  return { skipped: describe(skipped), replaced: describe(replaced) }
}

/**
 * Returns the number of paths and their first names, encoded as in requests, because the page sends
 * them back as exceptions.
 */
export function describeUndecided(paths: string[]) {
  return { count: paths.length, names: paths.slice(0, MAX_FILES_PER_CALL).map(encodePathInWebRoot) }
}

const labels = {
  folder: 'a folder',
  file: 'a file',
  link: 'a symbolic link',
  other: 'neither a file nor a folder',
}

function cannotMerge(
  path: string,
  unpacked: ExistingEntry['unpacked'],
  there: ExistingEntry['there']
) {
  return conflict(
    `“${path.toWellFormed()}” is ${labels[unpacked]} in the archive, but ${labels[there]} in the destination. Nothing was changed. Rename or delete it there, then unzip again.`
  )
}
