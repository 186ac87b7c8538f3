import { readdir, readFile, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './run.ts'
import type { Report } from './run.ts'

const SYSFS = '/sys/fs/btrfs'
const EVERY_MS = 1000

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

/** Counts again when btrfs says that it lost count; true when it was needed. */
export async function recountIfLost(poolPath: string): Promise<boolean> {
  const folder = await sysfsFolder(poolPath)
  if (!folder) return false
  const lost = await readFile(`${folder}/qgroups/inconsistent`, 'utf8').catch(() => '0')
  if (lost.trim() !== '1') return false
  await run('btrfs', ['quota', 'rescan', '-w', poolPath], { timeout: 3600 })
  return true
}

/** The kernel's folder of the file system that a path is on: found by its device. */
async function sysfsFolder(path: string): Promise<string | null> {
  const device = await deviceOf(await realpath(path))
  if (!device) return null
  for (const uuid of await readdir(SYSFS).catch(() => [] as string[])) {
    const devices = await readdir(`${SYSFS}/${uuid}/devices`).catch(() => [] as string[])
    if (devices.includes(device)) return `${SYSFS}/${uuid}`
  }
  return null
}

/** Kernel name (`loop3`) of the device that is mounted at a path. */
async function deviceOf(path: string): Promise<string | null> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  const found = mounts.map((line) => line.split(' ')).find((fields) => fields[1] === path)
  return found?.[0]?.replace(/^\/dev\//, '') ?? null
}
