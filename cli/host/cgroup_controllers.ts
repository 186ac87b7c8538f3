import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const CGROUP_ROOT = '/sys/fs/cgroup'
/** Controllers that limit instances. Without them, Incus starts instances but ignores their limits. */
const REQUIRED_CONTROLLERS = ['cpu', 'memory', 'pids']

/** A controller is present if it is in cgroup version 2, or has a separate mount in version 1. */
export async function findMissingControllers(root = CGROUP_ROOT): Promise<string[]> {
  const files = [root, join(root, 'unified')].map((folder) => join(folder, 'cgroup.controllers'))
  const unified = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  const available = unified.flatMap((text) => text.trim().split(' '))
  return REQUIRED_CONTROLLERS.filter(
    (name) => !available.includes(name) && !existsSync(join(root, name, 'cgroup.procs'))
  )
}
