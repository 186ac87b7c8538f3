import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './run.ts'
import type { Report } from './run.ts'

const SYSFS = '/sys/fs/btrfs'
const EVERY_MS = 1000
/** Asking btrfs is a process of its own: once for each pool is enough. */
const fileSystems = new Map<string, string>()

/**
 * Keeps the disk limits of instances true. Deleting subvolumes can make btrfs lose count
 * ("qgroup marked inconsistent"); it then limits nothing until the quotas are counted again, and
 * nobody is told. Looks once a second until the signal ends it.
 */
export async function keepQuotas(options: {
  poolPath: string
  signal: AbortSignal
  report?: Report
}): Promise<void> {
  const { poolPath, signal, report = () => {} } = options
  while (!signal.aborted) {
    try {
      if (await recountIfLost(poolPath)) report('Counted the disk usage of instances again')
    } catch (error) {
      report(`Disk limits could not be checked: ${(error as Error).message}`)
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Counts again when btrfs says that it lost count; true when it was needed.
 * @param sysfs where the kernel tells about btrfs file systems
 */
export async function recountIfLost(poolPath: string, sysfs = SYSFS): Promise<boolean> {
  const folder = await sysfsFolder(poolPath, sysfs)
  if (!folder) return false
  const lost = await readFile(`${folder}/qgroups/inconsistent`, 'utf8').catch(() => '0')
  if (lost.trim() !== '1') return false
  await run('btrfs', ['quota', 'rescan', '-w', poolPath], { timeout: 3600 })
  return true
}

/** The kernel's folder of the file system that a path is on. */
async function sysfsFolder(path: string, sysfs: string): Promise<string | null> {
  const known = fileSystems.get(path)
  if (known && existsSync(`${sysfs}/${known}`)) return `${sysfs}/${known}`
  const shown = await run('btrfs', ['filesystem', 'show', await realpath(path)])
  const uuid = /uuid: ([0-9a-f-]{36})/.exec(shown)?.[1]
  if (!uuid) return null
  fileSystems.set(path, uuid)
  return `${sysfs}/${uuid}`
}
