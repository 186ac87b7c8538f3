import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { isDatabaseUnavailable } from '#packages/service/database_watch'
import { vaultErrors } from '../errors.js'
import { corsHeaders } from '../http/cors.js'
import type { S3Response } from './call.js'
import { S3Error, s3ErrorOf } from './errors.js'
import type { S3Exchange } from './main.js'
import { writeXml } from './xml.js'

type Headers = Record<string, string>

/** Counts the usage before it sends the bytes. */
export async function sendS3Response(exchange: S3Exchange, answer: S3Response): Promise<void> {
  if (answer.object) return sendObject(exchange, answer)
  const { status = 200, headers = {}, xml } = answer
  await sendText(exchange, status, headers, xml && writeXml(...xml))
}

async function sendText(
  exchange: S3Exchange,
  status: number,
  headers: Headers,
  text?: string
): Promise<void> {
  const { request, response, vault, meter, body } = exchange
  const isHead = request.method === 'HEAD'
  const bytes = Buffer.from(text ?? '')
  if (vault) meter.count(vault, body?.taken ?? 0, isHead ? 0 : bytes.length)
  const hasBody = status !== 204 && status !== 304
  response.writeHead(status, {
    ...common(exchange),
    ...(text !== undefined && { 'content-type': 'application/xml' }),
    ...(hasBody && !isHead && { 'content-length': String(bytes.length) }),
    ...headers,
  })
  const shown = isHead || !hasBody ? Buffer.alloc(0) : bytes
  if (request.complete) {
    response.end(shown)
    return
  }
  response.write(shown)
  endAfter(request, response)
}

function common({ id, vault, request, corsRules = vault?.cors ?? [] }: S3Exchange): Headers {
  const headers = corsHeaders(corsRules, request.headers.origin, request.method ?? 'GET')
  headers['x-amz-request-id'] = id
  return headers
}

async function sendObject(
  exchange: S3Exchange,
  { status = 200, headers, object }: S3Response
): Promise<void> {
  const { response, store, meter, body } = exchange
  const vault = exchange.vault!
  const { stored, range } = object!
  const length = range ? range.end - range.start + 1 : stored.size
  if (length === 0) return sendText(exchange, status, headers ?? {})
  if (response.destroyed) return
  const source = store.read(stored, range)
  let sent = 0
  const end = () => source.destroy(new Error('The client closed the connection'))
  response.once('close', end)
  try {
    // Reads the first bytes before it sends the status, because an object that cannot be read must get an error
    // response.
    await once(source, 'readable')
    meter.count(vault, body?.taken ?? 0, length)
    response.statusCode = status
    response.setHeaders(new Map(Object.entries({ ...common(exchange), ...headers })))
    await pipeline(
      source,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          yield piece
          sent += piece.length
        }
      },
      response
    )
  } catch (error) {
    if (response.headersSent) meter.correct(vault, sent - length)
    throw error
  } finally {
    response.off('close', end)
    source.destroy()
  }
}

/**
 * Limits for reading the rest of a body after the response, so that the client receives the response. `time` is in
 * milliseconds.
 */
const DRAIN_LIMITS = { bytes: 16 * 1_024 ** 2, time: 5_000 }

export async function sendS3Error(exchange: S3Exchange, error: unknown): Promise<void> {
  const { request, response, id, log } = exchange
  if (response.headersSent || request.socket.destroyed) {
    response.destroy()
    return
  }
  const known = s3ErrorOf(isDatabaseUnavailable(error) ? vaultErrors.storeFailed() : error)
  const isClientsFault = known && ['NotImplemented', 'SlowDown'].includes(known.code)
  if (!known || (known.status >= 500 && !isClientsFault)) {
    const err = error instanceof Error ? error.stack : String(error)
    log?.({ level: 50, msg: 's3 request failed', id, method: request.method, err })
  }
  const s3Error =
    known ?? new S3Error('InternalError', 'We encountered an internal error. Please try again.')
  const xml = writeXml('Error', {
    Code: s3Error.code,
    Message: s3Error.message,
    Resource: request.url?.replace(/\?.*/s, ''),
    RequestId: id,
    ...s3Error.fields,
  })
  if (request.complete) return sendText(exchange, s3Error.status, s3Error.headers, xml)
  await sendText(exchange, s3Error.status, { ...s3Error.headers, connection: 'close' }, xml)
}

/**
 * Ends the response when the client has sent its body, or after 5 s. If the connection were closed while the client is
 * still sending, the client could lose the response.
 */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => response.end(), DRAIN_LIMITS.time)
  response.once('close', () => clearTimeout(timer))
  let drained = 0
  request.unpipe()
  request
    .on('error', () => {})
    .on('end', () => response.end())
    .on('data', ({ length }: Buffer) => {
      drained += length
      if (drained > DRAIN_LIMITS.bytes) request.pause()
    })
    .resume()
}
