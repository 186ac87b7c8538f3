import { readFile } from 'node:fs/promises'

/** Returns the last certificate error of each domain from the log that `caddy_config.ts` configures. */
export async function readLastTlsErrors(
  file: string
): Promise<Map<string, { at: Date; message: string }>> {
  const errors = new Map<string, { at: Date; message: string }>()
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    const entry = parse(line)
    const domain = entry?.identifier ?? entry?.domain
    if (entry && domain) {
      errors.set(domain, { at: new Date(entry.ts * 1_000), message: entry.error ?? entry.msg })
    }
  }
  return errors
}

interface Entry {
  ts: number
  msg: string
  error?: string
  identifier?: string
  domain?: string
}

/** Returns null for invalid JSON, because Caddy may not have finished writing the last line. */
function parse(line: string): Entry | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
