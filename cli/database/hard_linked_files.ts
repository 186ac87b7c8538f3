import { chmod, chown, copyFile, open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

const COPY_SUFFIX = '.berth-copy'

/**
 * Lists files with more than one hard link. PostgreSQL creates none. Until 27 November 2026, an upgrade of a checkout
 * with its home inside replaced equal files by hard links, so that a write to one changed the others.
 */
export async function listHardLinkedFiles(data: string): Promise<string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const linked: string[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await stat(path)).nlink > 1) linked.push(path)
  }
  return linked
}

/** PostgreSQL must be stopped. Returns the number of replaced files. */
export async function separateHardLinkedFiles(data: string): Promise<number> {
  const linked = await listHardLinkedFiles(data)
  for (const path of linked) {
    const copy = `${path}${COPY_SUFFIX}`
    const { mode, uid, gid } = await stat(path)
    await copyFile(path, copy)
    await chown(copy, uid, gid)
    await chmod(copy, mode & 0o7777)
    const handle = await open(copy, 'r')
    await handle.sync().finally(() => handle.close())
    await rename(copy, path)
  }
  return linked.length
}
