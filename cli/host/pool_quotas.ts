import { existsSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

const BTRFS_SYSFS = '/sys/fs/btrfs'
const CHECK_INTERVAL_MS = 1000
/**
 * Incus config key with the number and total size of the subvolumes inside an instance (`count bytes`). The console
 * reads it.
 */
const SUBVOLUMES_KEY = 'user.berth.subvolumes'
/** UUID of the file system of each pool. Cached, because each look-up starts a process. */
const fileSystems = new Map<string, string>()

/**
 * Checks once a second whether btrfs quotas are consistent. If they are not, makes btrfs scan them again. Deleting
 * subvolumes can make them inconsistent ("qgroup marked inconsistent"), and btrfs then enforces no disk limit. Also
 * limits subvolumes inside instances.
 */
export async function keepPoolQuotasConsistent(options: {
  poolPath: string
  socket: string
  signal: AbortSignal
  report?: LineReporter
}): Promise<void> {
  const { poolPath, socket, signal, report = () => {} } = options
  const nested = new NestedSubvolumeLimits(poolPath)
  const incus = Incus.local(socket)
  await forgetReports(incus).catch((error: Error) => report(error.message))
  while (!signal.aborted) {
    try {
      if (await rescanQuotasIfInconsistent(poolPath))
        report('Recounted the disk usage of instances')
      for (const [name, { count, bytes }] of await nested.limit()) {
        const config = { [SUBVOLUMES_KEY]: count ? `${count} ${bytes}` : '' }
        await incus.instances.patch(name, { config })
        if (count)
          report(`${name} holds ${count} btrfs subvolume(s); they now count towards its disk limit`)
      }
    } catch (error) {
      report(`Disk limits could not be checked: ${(error as Error).message}`)
    }
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}

/**
 * Clears the reports of an earlier process, because the subvolumes may have been deleted since then. Subvolumes that
 * still exist are reported again.
 */
async function forgetReports(incus: Incus): Promise<void> {
  for (const { name, config } of await incus.instances.list()) {
    if (config[SUBVOLUMES_KEY])
      await incus.instances.patch(name, { config: { [SUBVOLUMES_KEY]: '' } })
  }
}

export interface NestedSubvolumeUsage {
  count: number
  bytes: number
}

const MIN_REPORTED_CHANGE_BYTES = 16 * 1024 ** 2

interface Container {
  name: string
  /** IDs of subvolumes that already belong to the container's parent quota group, which limits them. */
  limited: Set<number>
  reported: NestedSubvolumeUsage
}

/**
 * Limits subvolumes that were created inside an instance. btrfs limits each subvolume separately, so these escape the
 * instance's quota. Berth prevents their creation (containment/isolation_settings.ts), but instances that started with
 * an earlier release may have some, or create more. A parent quota group limits all subvolumes of an instance together
 * (btrfs-quota(8)). Customers choose the paths of subvolumes, which may contain line breaks. So this class reads the
 * kernel's list of IDs, and looks up the path of each ID. Never parse a list of paths.
 */
export class NestedSubvolumeLimits {
  readonly #pool: string
  readonly #sysfs: string
  /** Containers by the ID of their own subvolume. */
  readonly #containers = new Map<number, Container>()
  /** IDs whose paths were already looked up. The kernel never uses an ID again. */
  readonly #seen = new Set<number>()

  constructor(pool: string, sysfs = BTRFS_SYSFS) {
    this.#pool = pool
    this.#sysfs = sysfs
  }

  async limit(): Promise<Map<string, NestedSubvolumeUsage>> {
    const folder = await sysfsFolder(this.#pool, this.#sysfs)
    const changed = new Map<string, NestedSubvolumeUsage>()
    if (!folder) return changed
    // This folder exists only after Incus has set the first disk limit, which turns quotas on.
    const groups = await readdir(join(folder, 'qgroups')).catch(() => [])
    const present = new Set(groups.flatMap((name) => /^0_(\d+)$/.exec(name)?.[1] ?? []).map(Number))
    for (const id of present) {
      if (!this.#seen.has(id)) await this.#learn(id)
      this.#seen.add(id)
    }
    const figure = async (group: string, file: string) =>
      Number(await readFile(join(folder, 'qgroups', group, file), 'utf8').catch(() => 0))
    for (const [id, container] of this.#containers) {
      if (!present.has(id)) this.#containers.delete(id)
      else if (container.limited.size > 0) {
        const limit = await figure(`0_${id}`, 'max_referenced')
        if (limit !== (await figure(`1_${id}`, 'max_referenced'))) {
          await this.#btrfs(['qgroup', 'limit', limit ? String(limit) : 'none', `1/${id}`])
        }
        const now = { count: 0, bytes: 0 }
        for (const one of container.limited) {
          const bytes = await figure(`0_${one}`, 'referenced')
          // Does not count the empty quota group that a deleted subvolume leaves behind.
          if (bytes > 0 || (await this.#pathOf(one))) now.count++
          else container.limited.delete(one)
          now.bytes += bytes
        }
        const { count, bytes } = container.reported
        if (count === now.count && Math.abs(now.bytes - bytes) < MIN_REPORTED_CHANGE_BYTES) continue
        container.reported = now
        changed.set(container.name, now)
      }
    }
    return changed
  }

  /** If the subvolume is inside an instance, adds it to the instance's quota group. */
  async #learn(id: number): Promise<void> {
    const path = await this.#pathOf(id)
    const [, name, inner] = /^containers\/([^/]+)(\/.+)?$/s.exec(path) ?? []
    if (!name) return
    if (!inner) {
      this.#containers.set(id, {
        name,
        limited: new Set(),
        reported: { count: 0, bytes: 0 },
      })
      return
    }
    const folder = join(this.#pool, 'containers', name)
    const outer = Number(await this.#btrfs(['inspect-internal', 'rootid', folder], false))
    if (!this.#containers.has(outer)) await this.#learn(outer)
    const container = this.#containers.get(outer)
    if (!container) return
    const group = `1/${outer}`
    if (container.limited.size === 0) {
      await this.#unlessPresent(['qgroup', 'create', group])
      await this.#unlessPresent(['qgroup', 'assign', `0/${outer}`, group])
    }
    await this.#unlessPresent(['qgroup', 'assign', `0/${id}`, group])
    container.limited.add(id)
  }

  /** Relative to the pool. Empty if the subvolume was deleted or the look-up failed. */
  #pathOf(id: number): Promise<string> {
    return this.#btrfs(['inspect-internal', 'subvolid-resolve', String(id)]).catch(() => '')
  }

  async #unlessPresent(args: string[]): Promise<void> {
    await this.#btrfs(args).catch((error: Error) => {
      if (!/File exists/.test(error.message)) throw error
    })
  }

  async #btrfs(args: string[], onPool = true): Promise<string> {
    const out = await runForOutput('btrfs', onPool ? [...args, this.#pool] : args)
    return out.replace(/\n$/, '')
  }
}

/**
 * Returns whether the quotas were inconsistent.
 * @param sysfs folder in which the kernel lists btrfs file systems
 */
export async function rescanQuotasIfInconsistent(
  poolPath: string,
  sysfs = BTRFS_SYSFS
): Promise<boolean> {
  const folder = await sysfsFolder(poolPath, sysfs)
  if (!folder) return false
  const lost = await readFile(`${folder}/qgroups/inconsistent`, 'utf8').catch(() => '0')
  if (lost.trim() !== '1') return false
  await runForOutput('btrfs', ['quota', 'rescan', '-w', poolPath], { timeout: 3600 })
  return true
}

async function sysfsFolder(path: string, sysfs: string): Promise<string | null> {
  const known = fileSystems.get(path)
  if (known && existsSync(`${sysfs}/${known}`)) return `${sysfs}/${known}`
  const shown = await runForOutput('btrfs', ['filesystem', 'show', await realpath(path)])
  const uuid = /uuid: ([0-9a-f-]{36})/.exec(shown)?.[1]
  if (!uuid) return null
  fileSystems.set(path, uuid)
  return `${sysfs}/${uuid}`
}
