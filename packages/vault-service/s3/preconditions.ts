import * as http from '../http/preconditions.js'
import type { WriteCondition, StoredObject } from '../types.js'
import type { S3Call } from './call.js'
import { S3Error } from './errors.js'

/**
 * Checks the conditions of a read. The prefix `x-amz-copy-source-` selects the headers with conditions for the source
 * of a copy. S3 also accepts ETags without quotes.
 */
export function checkS3Preconditions(
  call: S3Call,
  stored: StoredObject,
  prefix = ''
): http.PreconditionResult['outcome'] {
  const quoted = (name: string) => {
    const value = call.header(`${prefix}${name}`)?.trim()
    return value === undefined || value === '*' || value.includes('"') ? value : `"${value}"`
  }
  const headers = {
    'if-match': quoted('if-match'),
    'if-none-match': quoted('if-none-match'),
    'if-modified-since': call.header(`${prefix}if-modified-since`),
    'if-unmodified-since': call.header(`${prefix}if-unmodified-since`),
  }
  const etag = `"${stored.etag}"`
  return http.checkPreconditions(headers, { etag, etags: [etag], modifiedAt: stored.modifiedAt })
    .outcome
}

/**
 * Returns undefined if the request has no condition.
 * @throws S3Error NotImplemented for `If-None-Match` with a value other than `*` or together with `If-Match`, and for
 *   `If-Match: *`
 */
export function writeConditionOf(call: S3Call): WriteCondition | undefined {
  const noneMatch = call.header('if-none-match')
  const match = call.header('if-match')
  if (noneMatch !== undefined) {
    if (noneMatch === '*' && match === undefined) return { absent: true }
    throw new S3Error('NotImplemented', 'If-None-Match of a write must be *, without other values.')
  }
  if (match === undefined) return undefined
  if (match === '*') throw new S3Error('NotImplemented', 'If-Match of a write must be an ETag.')
  return { etag: stripQuotes(match) }
}

export function preconditionFailedError(condition = 'the condition that was sent'): S3Error {
  return new S3Error(
    'PreconditionFailed',
    `At least one of the preconditions you specified did not hold: ${condition}.`
  )
}

export function stripQuotes(tag: string): string {
  return tag.trim().replace(/^(?:W\/)?"?(.*?)"?$/s, '$1')
}
