import type { Condition, StoredObject } from '../types.js'
import type { Call } from './call.js'
import { S3Error } from './errors.js'

/** `failed`: 412. `not modified`: 304. */
export type Verdict = 'go on' | 'failed' | 'not modified'

/** Judges the conditions of a read in their order (RFC 9110, section 13.2.2). `prefix` as in `x-amz-copy-source-`. */
export function judge(call: Call, stored: StoredObject, prefix = ''): Verdict {
  const modified = Math.floor(stored.modifiedAt.getTime() / 1_000) * 1_000
  const match = call.header(`${prefix}if-match`)
  const unmodified = timeIn(call.header(`${prefix}if-unmodified-since`))
  const noneMatch = call.header(`${prefix}if-none-match`)
  const since = timeIn(call.header(`${prefix}if-modified-since`))
  if (match !== undefined) {
    if (!isTagged(match, stored)) return 'failed'
  } else if (unmodified !== undefined && modified > unmodified) return 'failed'
  if (noneMatch !== undefined) return isTagged(noneMatch, stored) ? 'not modified' : 'go on'
  return since !== undefined && modified <= since ? 'not modified' : 'go on'
}

/** Whether a Range is to be heeded: If-Range names the object as it is, or is not there. */
export function rangeHolds(call: Call, stored: StoredObject): boolean {
  const text = call.header('if-range')
  if (text === undefined) return true
  const time = timeIn(text)
  if (time === undefined) return text === `"${stored.etag}"`
  return time === Math.floor(stored.modifiedAt.getTime() / 1_000) * 1_000
}

/** The condition of a write, decided when the object is made. */
export function conditionOf(call: Call): Condition | undefined {
  const noneMatch = call.header('if-none-match')
  const match = call.header('if-match')
  if (noneMatch !== undefined) {
    if (noneMatch === '*' && match === undefined) return { absent: true }
    throw new S3Error('NotImplemented', 'If-None-Match of a write is *, alone.')
  }
  if (match === undefined) return undefined
  if (match === '*') throw new S3Error('NotImplemented', 'If-Match of a write is an ETag.')
  return { etag: unquoted(match) }
}

export function preconditionFailed(condition = 'the condition that was sent'): S3Error {
  return new S3Error('PreconditionFailed', `The object is not as you expected it: ${condition}.`)
}

/** An ETag without quotes. */
export function unquoted(tag: string): string {
  return tag.trim().replace(/^(?:W\/)?"?(.*?)"?$/s, '$1')
}

function isTagged(list: string, { etag }: StoredObject): boolean {
  return list.split(',').some((tag) => tag.trim() === '*' || unquoted(tag) === etag)
}

function timeIn(text: string | undefined): number | undefined {
  if (text === undefined || /^(W\/)?"/.test(text.trim())) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
