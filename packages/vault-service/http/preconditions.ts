import type { IncomingHttpHeaders } from 'node:http'

export interface CacheValidators {
  etag: string
  /** The object's ETags in quotes, one for each encoding. */
  etags: string[]
  modifiedAt: Date
}

/** `go`: the conditions hold, so respond normally. `etag`: the ETag of the version that the client has. */
export type PreconditionResult =
  | { outcome: 'go' | 'failed' }
  | { outcome: 'unchanged'; etag: string }

/** Checks the conditions of a GET or HEAD (RFC 9110, 13.2.2). */
export function checkPreconditions(
  headers: IncomingHttpHeaders,
  is: CacheValidators
): PreconditionResult {
  const modified = seconds(is.modifiedAt)
  const match = headers['if-match']
  if (match !== undefined) {
    const sent = tags(match).filter((tag) => !tag.startsWith('W/'))
    if (match.trim() !== '*' && !sent.some((tag) => is.etags.includes(tag)))
      return { outcome: 'failed' }
  } else {
    const since = dateOf(headers['if-unmodified-since'])
    if (since !== undefined && modified > since) return { outcome: 'failed' }
  }

  const none = headers['if-none-match']
  if (none !== undefined) {
    if (none.trim() === '*') return { outcome: 'unchanged', etag: is.etag }
    const sent = tags(none).map((tag) => tag.replace(/^W\//, ''))
    const same = [is.etag, ...is.etags].find((tag) => sent.includes(tag))
    return same ? { outcome: 'unchanged', etag: same } : { outcome: 'go' }
  }
  const since = dateOf(headers['if-modified-since'])
  if (since !== undefined && modified <= since) return { outcome: 'unchanged', etag: is.etag }
  return { outcome: 'go' }
}

/**
 * Returns whether the client may get a range (RFC 9110, 13.1.5): `If-Range` is missing, or names the current version of
 * the object.
 */
export function ifRangeMatches(
  header: string | undefined,
  etag: string,
  modifiedAt: Date
): boolean {
  if (header === undefined) return true
  const sent = header.trim()
  if (/^(?:W\/)?"/.test(sent)) return sent === etag
  return dateOf(sent) === seconds(modifiedAt)
}

function tags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/** Parses an HTTP date. Returns Unix time in seconds, or undefined if the date is invalid. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time / 1000
}
