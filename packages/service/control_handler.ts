import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ControlCalls } from './control_client.js'

export type ControlHandlers<Contract extends ControlCalls<Contract>> = {
  [Name in keyof Contract]: (input: Contract[Name]['input']) => Promise<Contract[Name]['output']>
}

const DEFAULT_MAX_REQUEST_BYTES = 1_048_576

/**
 * Handles `POST /control/<name>` with JSON. A call without the control key gets the same response as an unknown path.
 */
export function controlHandler<Contract extends ControlCalls<Contract>>(options: {
  handlers: ControlHandlers<Contract>
  key: string
  maxBytes?: number
  tooLarge: () => Error
}) {
  const { handlers, key, maxBytes = DEFAULT_MAX_REQUEST_BYTES, tooLarge } = options
  const digest = digestOf(`Bearer ${key}`)
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    name: string
  ): Promise<void> => {
    const sentDigest = digestOf(request.headers.authorization ?? '')
    const known = request.method === 'POST' && Object.hasOwn(handlers, name)
    if (!timingSafeEqual(sentDigest, digest) || !known) {
      return answer(response, 404, {
        code: 'nothing_here',
        message: 'This address does not exist.',
      })
    }
    const handle = handlers[name as keyof Contract] as (input: unknown) => Promise<unknown>
    answer(response, 200, (await handle(await readJson(request, maxBytes, tooLarge))) as object)
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

async function readJson(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: () => Error
): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
