import { databaseOperationFailed } from '#databases/errors'
import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const IDLE_TIMEOUT_MS = 120_000
const MAX_RESPONSE_CHARACTERS = 4_000

function open(
  url: string,
  method: 'GET' | 'PUT',
  headers: Record<string, string | number>
): ClientRequest {
  const request = url.startsWith('https:') ? secure : plain
  const opened = request(url, { method, headers, timeout: IDLE_TIMEOUT_MS })
  opened.once('timeout', () => opened.destroy(new Error('The transfer stopped making progress')))
  return opened
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}

/** Returns the `message` of a JSON error response. For any other response, returns a text with its status. */
async function readText(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text = (text + String(chunk)).slice(0, MAX_RESPONSE_CHARACTERS)
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string' && message) return message
  } catch {}
  return `The storage answered with status ${answer.statusCode}.`
}

/** @throws AppError with the storage server's message if it rejects the upload */
export async function uploadTo(url: string, body: Readable, size: number): Promise<void> {
  const request = open(url, 'PUT', {
    'content-length': size,
    'content-type': 'application/octet-stream',
  })
  // The storage server may reject an upload before it is complete. Its response says more than the connection
  // error.
  const answered = answerOf(request)
  const sent = pipeline(body, request)
  sent.catch(() => {})
  answered.catch(() => {})
  try {
    const answer = await Promise.race([answered, sent.then(() => answered)])
    if (answer.statusCode !== 200) throw databaseOperationFailed(await readText(answer))
    answer.resume()
    await sent
  } finally {
    request.destroy()
    body.destroy()
  }
}

/** @throws AppError with the storage server's message if the response is not 200 */
export async function downloadFrom(url: string): Promise<{ body: Readable; bytes: number }> {
  const request = open(url, 'GET', { 'accept-encoding': 'identity' })
  request.end()
  const answer = await answerOf(request)
  if (answer.statusCode !== 200) throw databaseOperationFailed(await readText(answer))
  return { body: answer, bytes: Number(answer.headers['content-length']) }
}
