import { accessTopic, isUnchangedSince, currentEventCursor } from '#core/live/live_events'
import { appKey } from '#config/app'
import type { HttpContext } from '@adonisjs/core/http'
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Returns an ETag. It is valid until one of the topics is published, or the person's sign-ins or access change. A
 * request with this ETag (`If-None-Match`) gets 304 without loading the session or running queries. Returns `null`
 * while this process does not listen for events.
 */
export function createEtag(ctx: HttpContext, topics: string[]): string | null {
  const mark = currentEventCursor()
  if (!mark) return null
  const [of, count] = mark.split(':')
  const body = [of, count, ...topics, accessTopic(ctx.actor.id)].join(' ')
  return `"${Buffer.from(body).toString('base64url')}.${etagSignature(body, addressOf(ctx))}"`
}

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
