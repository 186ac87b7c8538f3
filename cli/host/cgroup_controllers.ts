import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const CGROUP_ROOT = '/sys/fs/cgroup'
/** Incus starts instances without these controllers, but then ignores their limits. */
const REQUIRED_CONTROLLERS = ['cpu', 'memory', 'pids']

/**
 * Returns the controllers for instances' limits that are mounted neither in cgroup version 2 nor, each in its own
 * folder, in version 1.
 */
export async function findMissingControllers(root = CGROUP_ROOT): Promise<string[]> {
  const files = [root, join(root, 'unified')].map((folder) => join(folder, 'cgroup.controllers'))
  const unified = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  const available = unified.flatMap((text) => text.trim().split(' '))
  return REQUIRED_CONTROLLERS.filter(
    (name) => !available.includes(name) && !existsSync(join(root, name, 'cgroup.procs'))
  )
}
