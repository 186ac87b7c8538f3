import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface AptSource {
  uris: string[]
  suites: string[]
  components: string[]
}

export interface DebianMirror {
  archive: string
  security: string
}

const PUBLIC_MIRRORS: DebianMirror = {
  archive: 'http://deb.debian.org/debian',
  security: 'http://deb.debian.org/debian-security',
}

export function parseSourcesList(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const columns = line
      .replace(/#.*/, '')
      .replace(/\[[^\]]*\]/, ' ')
      .trim()
      .split(/\s+/)
    const [type, uri, suite, ...components] = columns
    return type === 'deb' && uri && suite ? [{ uris: [uri], suites: [suite], components }] : []
  })
}

export function parseDeb822Format(text: string): AptSource[] {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = new Map<string, string>()
    let last = ''
    for (const line of stanza.split('\n')) {
      if (line.startsWith('#') || line.trim() === '') continue
      const field = /^([A-Za-z-]+):\s*(.*)$/.exec(line)
      if (field) fields.set((last = field[1]!.toLowerCase()), field[2]!)
      else fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`)
    }
    const valuesOf = (name: string) => (fields.get(name) ?? '').split(/\s+/).filter(Boolean)
    if (/^(no|false|0)$/i.test(fields.get('enabled') ?? '')) return []
    if (!valuesOf('types').includes('deb') || valuesOf('uris').length === 0) return []
    return [
      { uris: valuesOf('uris'), suites: valuesOf('suites'), components: valuesOf('components') },
    ]
  })
}

export async function readAptSources(folder = '/etc/apt'): Promise<AptSource[]> {
  const parts = await readdir(join(folder, 'sources.list.d')).catch(() => [])
  const files = ['sources.list', ...parts.map((name) => join('sources.list.d', name)).sort()]
  const sources = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '')
      if (name.endsWith('.list')) return parseSourcesList(text)
      return name.endsWith('.sources') ? parseDeb822Format(text) : []
    })
  )
  return sources.flat()
}

/**
 * Returns the Debian mirror that this machine uses. Returns the public mirror on other systems, or if the machine has
 * no http(s) source. Cloud images have none: they use a file with a list of mirrors.
 * @param system the machine's `ID` and `VERSION_CODENAME`, see os-release(5)
 */
export function chooseDebianMirror(
  sources: AptSource[],
  system: { id: string; codename: string }
): DebianMirror {
  if (system.id !== 'debian') return PUBLIC_MIRRORS
  const { codename } = system
  const uriOf = (suites: string[]) =>
    sources
      .filter(({ components }) => components.includes('main'))
      .filter((source) => source.suites.some((suite) => suites.includes(suite)))
      .flatMap(({ uris }) => uris)
      .find((uri) => /^https?:/.test(uri))
  const archive = uriOf([codename, 'stable'])
  if (!archive) return PUBLIC_MIRRORS
  const security = uriOf([`${codename}-security`, 'stable-security', `${codename}/updates`])
  return { archive: trim(archive), security: trim(security ?? PUBLIC_MIRRORS.security) }
}

/** Parses the output of `apt-cache policy`. Keeps the order. */
export function parseInstallablePackages(policy: string): string[] {
  return [...policy.matchAll(/^(\S+):\n(?: .*\n)*?  Candidate: (?!\(none\))/gm)].map(
    ([, name]) => name!
  )
}

function trim(uri: string): string {
  return uri.replace(/\/+$/, '')
}
