import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the names of all migrations, such as `0001_core`. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(join(import.meta.dirname, 'migrations'))
  return [...new Set(files.map((file) => file.replace(/\..*$/, '')))].sort()
}
