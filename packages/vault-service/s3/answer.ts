import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Answer } from './call.js'
import { S3Error, s3ErrorOf } from './errors.js'
import type { Exchange } from './main.js'
import { writeXml } from './xml.js'

type Headers = Record<string, string>

/** Sends an answer; its bytes are counted before they go. */
export async function send(exchange: Exchange, answer: Answer): Promise<void> {
  if (answer.object) return sendObject(exchange, answer)
  const { status = 200, headers = {}, xml } = answer
  await sendText(exchange, status, headers, xml && writeXml(...xml))
}

async function sendText(
  exchange: Exchange,
  status: number,
  headers: Headers,
  text?: string
): Promise<void> {
  const { request, response, vault, meter, body, id } = exchange
  const isHead = request.method === 'HEAD'
  const bytes = Buffer.from(text ?? '')
  if (vault) meter.count(vault, body?.taken ?? 0, isHead ? 0 : bytes.length)
  const hasBody = status !== 204 && status !== 304
  response.writeHead(status, {
    'x-amz-request-id': id,
    ...(text !== undefined && { 'content-type': 'application/xml' }),
    ...(hasBody && !isHead && { 'content-length': String(bytes.length) }),
    ...headers,
  })
  response.end(isHead || !hasBody ? undefined : bytes)
}

async function sendObject(
  exchange: Exchange,
  { status = 200, headers, object }: Answer
): Promise<void> {
  const { response, store, meter, body, id } = exchange
  const vault = exchange.vault!
  const { stored, range } = object!
  const length = range ? range.end - range.start + 1 : stored.size
  if (length === 0) return sendText(exchange, status, headers ?? {})
  const source = store.read(stored, range)
  let sent = 0
  const end = () => source.destroy()
  response.once('close', end)
  try {
    // What cannot be read at all is still an answer.
    await once(source, 'readable')
    meter.count(vault, body?.taken ?? 0, length)
    response.statusCode = status
    response.setHeaders(new Map(Object.entries({ 'x-amz-request-id': id, ...headers })))
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

/** What is read of a body that nobody wants, so that the answer arrives: bytes and milliseconds. */
const DRAINED = { bytes: 16 * 1_024 ** 2, time: 5_000 }

/** Answers what went wrong in S3's words. */
export async function sendError(exchange: Exchange, error: unknown): Promise<void> {
  const { request, response, id } = exchange
  if (response.headersSent || response.destroyed || request.socket.destroyed) {
    response.destroy()
    return
  }
  const known = s3ErrorOf(error)
  if (!known) unforeseen(id, error)
  const said = known ?? new S3Error('InternalError', 'Something went wrong on our side. Try again.')
  const isDrained = await drain(request)
  if (response.destroyed) return
  const xml = writeXml('Error', {
    Code: said.code,
    Message: said.message,
    Resource: (request.url ?? '/').replace(/\?.*/s, ''),
    RequestId: id,
    ...said.fields,
  })
  const headers = { ...said.headers, ...(!isDrained && { connection: 'close' }) }
  await sendText(exchange, said.status, headers, xml)
}

/** Whether the whole request has come, so that another one can follow. */
async function drain(request: IncomingMessage): Promise<boolean> {
  if (request.complete) return true
  if (Number(request.headers['content-length'] ?? 0) > DRAINED.bytes) return false
  return new Promise((resolve) => {
    let bytes = 0
    const end = (isWhole: boolean) => {
      clearTimeout(timer)
      request.removeAllListeners('data').pause()
      resolve(isWhole)
    }
    const timer = setTimeout(end, DRAINED.time, false)
    request.once('end', () => end(true))
    request.once('close', () => end(false))
    request.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > DRAINED.bytes) end(false)
    })
    request.resume()
  })
}

function unforeseen(id: string, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`s3 request ${id}: ${words}\n`)
}
