import { open } from 'node:fs/promises'

/**
 * Writes a file, or the names in a folder, to the disk. Otherwise a power failure can undo a finished `rename`,
 * or leave an empty file behind its new name.
 */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some file systems cannot sync folders. PostgreSQL ignores the error too.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
  } finally {
    await handle.close()
  }
}
