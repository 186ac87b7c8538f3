import { listCourierSigningSecrets } from '#auto_courier/secrets'
import { conflict, AppError, tooManyRequests } from '#core/app_error'
import { rateLimitNetwork } from '#packages/service/ip_network'
import { hasValidSignature } from '#packages/service/webhooks'
import type { HttpContext } from '@adonisjs/core/http'
import { errors as limiterErrors } from '@adonisjs/limiter'
import limiter from '@adonisjs/limiter/services/main'
import db from '@adonisjs/lucid/services/db'
import { createHash } from 'node:crypto'

export const MAX_CLOCK_SKEW_SECONDS = 300
const MAX_CALL_BYTES = 16 * 1_024
/** Maximum per network of the client. Requests with an invalid signature count too. */
export const MAX_CALLS_PER_MINUTE = 600
/** Repeated requests are recognized for this time. */
const CALL_RETENTION_DAYS = 30

export interface CourierRequest {
  id: string
  /** SHA-256 of the URL path and the body, to compare repeated requests. */
  digest: string
}

/**
 * Verifies the signature of a request according to Standard Webhooks: `webhook-signature` covers
 * `id.timestamp.body`.
 * @throws 429, 413, or 401. The message names the problem, but never the expected value.
 */
export async function verifyCourierRequest({ request }: HttpContext): Promise<CourierRequest> {
  await countCall(request.ip())
  const body = request.raw() ?? ''
  if (Buffer.byteLength(body) > MAX_CALL_BYTES)
    throw new AppError('too_large', 413, 'The request body is larger than 16 KB.')
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
    (name) => request.header(`webhook-${name}`) ?? ''
  )
  if (!/^[\w.-]{1,100}$/.test(id) || !/^\d{1,12}$/.test(timestamp) || !signature) {
    throw signatureRejected(
      'The headers webhook-id, webhook-timestamp and webhook-signature are required.'
    )
  }
  if (!hasValidSignature(await listCourierSigningSecrets(), { id, timestamp, signature }, body)) {
    throw signatureRejected('The signature is invalid.')
  }
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) {
    throw signatureRejected('The timestamp differs from our clock by more than 5 minutes.')
  }
  return { id, digest: createHash('sha256').update(`${request.url()}\n${body}`).digest('hex') }
}

/**
 * Calls `answer`, and stores its response. A repeated request gets the stored response, even if the
 * bill has changed since. Errors are not stored, so a rejected request can succeed later.
 * @throws 409 if the id belongs to a different request
 */
export async function respondIdempotently<Answer extends object>(
  { id, digest }: CourierRequest,
  answer: () => Promise<Answer>
): Promise<Answer> {
  const before = await findEarlierAnswer<Answer>(id, digest)
  if (before) return before
  const answered = await answer()
  const row = { id, digest, answer: JSON.stringify(answered) }
  await db.table('courier_calls').insert(row).onConflict('id').ignore()
  // Returns the response that was stored first, so that two identical concurrent requests get the same
  // one.
  return (await findEarlierAnswer<Answer>(id, digest)) ?? answered
}

export async function deleteOldCourierRequests(): Promise<void> {
  await db.rawQuery('delete from courier_calls where at < now() - make_interval(days => ?)', [
    CALL_RETENTION_DAYS,
  ])
}

async function findEarlierAnswer<Answer>(id: string, digest: string): Promise<Answer | null> {
  const row = await db.from('courier_calls').where({ id }).first()
  if (!row) return null
  if (row.digest !== digest)
    throw conflict('This webhook-id was already used for a different call.')
  return row.answer as Answer
}

const signatureRejected = (message: string) => new AppError('not_signed', 401, message)

async function countCall(ip: string): Promise<void> {
  try {
    const key = `courier:net:${rateLimitNetwork(ip)}`
    await limiter.use({ requests: MAX_CALLS_PER_MINUTE, duration: 60 }).consume(key)
  } catch (error) {
    if (!(error instanceof limiterErrors.E_TOO_MANY_REQUESTS)) throw error
    throw tooManyRequests(Math.max(1, error.response.availableIn))
  }
}
