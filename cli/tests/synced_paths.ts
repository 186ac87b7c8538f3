import { open, readlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Runs `work` while fsync for files and folders is replaced by another function. */
export async function withSync(
  replacement: (handle: FileHandle) => Promise<void>,
  work: () => Promise<unknown>
): Promise<void> {
  const handle = await open(tmpdir(), 'r')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { sync } = prototype
  prototype.sync = function (this: FileHandle) {
    return replacement(this)
  }
  await work().finally(() => (prototype.sync = sync))
}

/** Returns the paths of files and folders that `work` syncs to disk with fsync, in order. */
export async function listSyncedPaths(work: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = []
  await withSync(async ({ fd }) => void paths.push(await readlink(`/proc/self/fd/${fd}`)), work)
  return paths
}
