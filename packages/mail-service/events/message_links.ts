import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServiceDatabase } from '../../service/database.js'
import { messageIdOfToken } from '../message_tokens.js'
import { recordEvent, type RecordEventOptions } from './record_event.js'

const TRACKING_PIXEL = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64'
)

const NO_STORE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; form-action 'self'; style-src 'unsafe-inline'",
}

export function createMessageLinkHandler(deps: {
  database: ServiceDatabase
  key: string
  publicUrl: string
  eventOptions: RecordEventOptions
}) {
  const { database, key, eventOptions } = deps
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string
  ): Promise<boolean> => {
    const [, kind, token] = /^\/([uo])\/([0-9a-f]+)$/.exec(path) ?? []
    if (!kind || !token) return false
    request.resume()
    const id = messageIdOfToken(kind === 'u' ? 'unsubscribe' : 'open', key, token)
    if (kind === 'o') await opened(id, request, response)
    else await unsubscribe(id, request, response)
    return true
  }

  async function opened(
    id: string | undefined,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    if (id && request.method === 'GET') {
      const wanted = await database.row(
        `select 1 from mail.messages m join mail.senders s on s.id = m.sender_id and s.track_opens
         where m.id = $1`,
        [id]
      )
      if (wanted)
        await recordEvent(database, { messageId: id, type: 'opened', detail: '' }, eventOptions)
    }
    response
      .writeHead(200, { ...NO_STORE_HEADERS, 'content-type': 'image/gif' })
      .end(TRACKING_PIXEL)
  }

  /** Only POST requests unsubscribe (RFC 8058), because mail scanners follow the links with GET requests. */
  async function unsubscribe(
    id: string | undefined,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    const message = id && (await messageOf(id))
    if (!message) return page(response, 404, 'This link is not valid', '')
    if (request.method !== 'POST') {
      const notice = `You will get no more emails from ${message.email}.`
      return page(response, 200, 'Unsubscribe?', notice, true)
    }
    await recordEvent(
      database,
      { messageId: id, type: 'unsubscribed', detail: '', suppress: 'unsubscribed' },
      eventOptions
    )
    page(
      response,
      200,
      'You are unsubscribed',
      `You will get no more emails from ${message.email}.`
    )
  }

  function messageOf(id: string): Promise<{ email: string } | undefined> {
    return database.row(
      `select s.email from mail.messages m join mail.senders s on s.id = m.sender_id where m.id = $1`,
      [id]
    )
  }
}

function page(
  response: ServerResponse,
  status: number,
  title: string,
  text: string,
  asks = false
): void {
  const button = '<form method="post"><button>Unsubscribe</button></form>'
  response.writeHead(status, { ...NO_STORE_HEADERS, 'content-type': 'text/html; charset=utf-8' })
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${title}</title><body style="font-family:sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem">` +
      `<h1>${title}</h1><p>${escaped(text)}</p>${asks ? button : ''}</body></html>`
  )
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]!)
}
