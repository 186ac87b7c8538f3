import { existsSync, readFileSync } from 'node:fs'

export interface OsRelease {
  /** For people: `Debian GNU/Linux 13 (trixie)`. */
  name: string
  /** `debian`, `ubuntu`, … */
  id: string
  /** Families it belongs to, itself included. */
  families: string[]
  codename: string
}

/** Reads os-release(5). */
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

/** Does it have Debian's packages? Only there is anything installed. */
export function isDebianLike({ families } = readOsRelease()): boolean {
  return families.includes('debian') || families.includes('ubuntu')
}

/** Does systemd run this machine? (sd_booted(3)) */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}
