import { lstatSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../sync_path.js'
import { ensureSystemUser } from '../system_users.js'
import { type BerthHome, writePrivateJson } from '../berth_home.js'
import { BACKUP_SYSTEM_USER } from '../postgres/cluster_folder.js'
import { SETTINGS_COPY_NAME } from '../service/settings_file.js'

/** Does not use `existsSync`, whose access(2) ignores capabilities such as `dac_read_search`. */
export function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/**
 * A base backup: a copy of the database's files. It can be used once `BackupFolder.writeBase` has written its record.
 */
export interface BaseBackup {
  id: string
  /**
   * IDs of restic's snapshots. `data`: of the data folder. `again`: of files that may have changed while the previous
   * base backup read them, so they were read again.
   */
  data: string
  again: string | null
  /** First WAL file that a restore needs. */
  wal: string
  /** Earliest time to which the database can be restored from this base backup (ISO 8601). */
  ready: string
  /** Times in milliseconds at which reading the files started and ended. restic may miss changes between them. */
  read: [number, number]
  /** Major version, as in the file `PG_VERSION`. */
  postgres: string
}

export class BackupFolder {
  readonly path: string
  /** Compressed WAL files since the oldest base backup. */
  readonly wal: string
  readonly cache: string
  readonly drill: string

  constructor(readonly home: BerthHome) {
    this.path = join(home.path, 'backup', 'own')
    this.wal = join(this.path, 'wal')
    this.cache = join(this.path, 'cache')
    this.drill = join(this.path, 'drill')
  }

  async prepare(): Promise<void> {
    for (const path of [this.path, this.wal, this.cache, this.bases]) {
      await mkdir(path, { recursive: true, mode: 0o700 })
    }
    if (process.getuid?.() !== 0) return
    const { uid, gid } = await ensureSystemUser(BACKUP_SYSTEM_USER)
    await chown(this.path, uid, gid)
  }

  get bases(): string {
    return join(this.path, 'bases')
  }

  /** Existing paths, relative to the home folder. */
  paths(): string[] {
    const wanted = ['secrets.json', 'state.json', 'first-admin.json', SETTINGS_COPY_NAME]
    wanted.push('vault', 'mail', 'edge')
    const own = ['backup/own/wal', 'backup/own/bases']
    return [...wanted, ...own].filter((path) => pathExists(join(this.home.path, path)))
  }

  /** Oldest first. */
  async readBases(): Promise<BaseBackup[]> {
    return readBaseBackups(this.bases)
  }

  async writeBase(base: BaseBackup, files: { label: Buffer; control: Buffer }): Promise<void> {
    const draft = join(this.bases, `${base.id}.new`)
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o700 })
    for (const [name, content] of [
      ['backup_label', files.label],
      ['pg_control', files.control],
    ] as const) {
      await writeFile(join(draft, name), content)
      await syncPath(join(draft, name))
    }
    await writePrivateJson(join(draft, 'base.json'), base)
    await rename(draft, join(this.bases, base.id))
    await syncPath(this.bases)
  }

  /** Removes the records of all other base backups, and the WAL files that only they need. */
  async keepOnly(base: BaseBackup): Promise<void> {
    for (const name of await readdir(this.bases)) {
      if (name !== base.id) await rm(join(this.bases, name), { recursive: true, force: true })
    }
    for (const name of await readdir(this.wal)) {
      if (/^[0-9A-F]{24}/.test(name) && name.slice(0, 24) < base.wal) await rm(join(this.wal, name))
    }
  }

  /** Removes the records of all base backups, and all WAL files, so that the next backup is full. */
  async forgetBases(): Promise<void> {
    for (const path of [this.wal, this.bases]) await rm(path, { recursive: true, force: true })
    await this.prepare()
  }
}

/** Oldest first. Skips incomplete records. */
export async function readBaseBackups(path: string): Promise<BaseBackup[]> {
  const names = await readdir(path).catch(() => [] as string[])
  const whole = names.filter((name) => !name.endsWith('.new'))
  const bases = await Promise.all(
    whole.map(
      async (name) =>
        JSON.parse(await readFile(join(path, name, 'base.json'), 'utf8')) as BaseBackup
    )
  )
  return bases.sort((one, other) => one.ready.localeCompare(other.ready))
}
