import { accessTopic, isUnchangedSince, currentEventCursor } from '#core/live/live_events'
import { appKey } from '#config/app'
import type { HttpContext } from '@adonisjs/core/http'
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A tag for answers that stay the same until one of their topics is told. Whoever asks for the same address again
 * and brings it (`If-None-Match`) is answered 304 from memory, before anybody is looked up: a poll that finds nothing
 * costs no more than this. The tag is ours alone to make and says only that nothing changed; it ends when the
 * sign-ins of its person change.
 */
export function createEtag(ctx: HttpContext, topics: string[]): string | null {
  const mark = currentEventCursor()
  if (!mark) return null
  const [of, count] = mark.split(':')
  const body = [of, count, ...topics, accessTopic(ctx.actor!.id)].join(' ')
  return `"${Buffer.from(body).toString('base64url')}.${etagSignature(body, addressOf(ctx))}"`
}

/** Whether what a tag was given for is as it was. */
export function isNotModified(ctx: HttpContext): boolean {
  const tag = ctx.request.request.headers['if-none-match']
  const parts = tag && /^"([\w-]{1,1000})\.([\w-]{43})"$/.exec(tag)
  if (!parts) return false
  const body = Buffer.from(parts[1], 'base64url').toString()
  const seal = Buffer.from(etagSignature(body, addressOf(ctx)))
  const digest = Buffer.from(parts[2])
  if (seal.length !== digest.length || !timingSafeEqual(seal, digest)) return false
  const [of, count, ...topics] = body.split(' ')
  return isUnchangedSince(`${of}:${count}`, topics)
}

const addressOf = ({ request }: HttpContext) => request.request.url ?? ''

function etagSignature(body: string, address: string): string {
  return createHmac('sha256', appKey.release())
    .update(`unchanged ${address} ${body}`)
    .digest('base64url')
}
