import { PROXY_LOOP_STATUS } from './caddy_config.js'
import { readFile } from 'node:fs/promises'

/**
 * Returns the time of each domain's last response with status 508. Reads the log that `caddy_config.ts` configures. The
 * log has at most 1 MB. Under high load, Caddy logs only some of the requests.
 */
export async function readLastProxyLoops(file: string): Promise<Map<string, Date>> {
  const loops = new Map<string, Date>()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  for (const line of text.split('\n')) {
    const entry = parse(line)
    // Caddy also logs requests of certificate authorities (ACME challenges) here. They have another status.
    if (entry && entry.status === PROXY_LOOP_STATUS)
      loops.set(entry.request.host.toLowerCase().replace(/:\d+$/, ''), timeOf(entry))
  }
  return loops
}

interface Entry {
  status: number
  /** Unix time in seconds. */
  ts: number
  request: { host: string }
}

const timeOf = ({ ts }: Entry) => new Date(ts * 1_000)

/** Returns null if the line is incomplete. */
function parse(line: string): Entry | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
