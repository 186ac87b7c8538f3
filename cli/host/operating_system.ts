import { existsSync, readFileSync } from 'node:fs'

export interface OsRelease {
  /** For example `Debian GNU/Linux 13 (trixie)`. */
  name: string
  /** For example `debian`, `ubuntu`. */
  id: string
  /** The distribution's own ID, and the IDs of distributions from which it is derived (`ID_LIKE`). */
  families: string[]
  codename: string
}

export function parseOsRelease(text: string): OsRelease {
  const fields = new Map(
    [...text.matchAll(/^(\w+)=["']?(.*?)["']?$/gm)].map((match) => [match[1]!, match[2]!])
  )
  const id = fields.get('ID') ?? 'linux'
  const like = (fields.get('ID_LIKE') ?? '').split(/\s+/).filter(Boolean)
  const name = fields.get('PRETTY_NAME') ?? 'unknown'
  return { name, id, families: [id, ...like], codename: fields.get('VERSION_CODENAME') ?? '' }
}

export function readOsRelease(): OsRelease {
  const file = '/etc/os-release'
  return parseOsRelease(existsSync(file) ? readFileSync(file, 'utf8') : '')
}

/** Berth can install packages only on Debian and its derivatives. */
export function isDebianLike({ families } = readOsRelease()): boolean {
  return families.includes('debian') || families.includes('ubuntu')
}

/** Whether systemd is the init system, like sd_booted(3). */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}
