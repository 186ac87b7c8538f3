import { open } from 'node:fs/promises'

/**
 * Syncs a file, or the names in a folder, to the disk (fsync). Otherwise a power failure could undo a finished
 * `rename`, or leave an empty file under the new name.
 */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Ignores this error: some file systems cannot sync folders (EINVAL). PostgreSQL ignores it too.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
  } finally {
    await handle.close()
  }
}
