import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

export interface OsRelease {
  /** `debian`, `ubuntu`, … */
  id: string
  /** Families it belongs to, itself included. */
  families: string[]
  codename: string
}

/** Reads os-release(5). */
export function parseOsRelease(text: string): OsRelease {
  const fields = new Map(
    [...text.matchAll(/^(\w+)=["']?(.*?)["']?$/gm)].map((found) => [found[1]!, found[2]!])
  )
  const id = fields.get('ID') ?? 'linux'
  const like = (fields.get('ID_LIKE') ?? '').split(/\s+/).filter(Boolean)
  return { id, families: [id, ...like], codename: fields.get('VERSION_CODENAME') ?? '' }
}

export async function osRelease(): Promise<OsRelease> {
  return parseOsRelease(await readFile('/etc/os-release', 'utf8').catch(() => ''))
}

/** Does systemd run this machine? (sd_booted(3)) */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}
