import type { Visitor } from '#tests/support/people'
import { type ClientRequest, request } from 'node:http'
import { json } from 'node:stream/consumers'

const formHead = (name: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
const FORM_TAIL = '\r\n--b--\r\n'

/** An upload that a test can pause or interrupt. The response may arrive before the upload ends. */
export interface OpenUpload {
  request: ClientRequest
  answer: Promise<{ status: number; message: string }>
  end(): void
}

/**
 * Starts an upload. `length` is the file's size in bytes, which browsers send. Without it, the
 * server does not know the size.
 */
export function openUpload(
  visitor: Visitor,
  path: string,
  name: string,
  length?: number
): OpenUpload {
  const head = formHead(name)
  const call = request(visitor.base + path, {
    method: 'POST',
    agent: false,
    headers: {
      ...visitor.headers,
      'content-type': 'multipart/form-data; boundary=b',
      ...(length !== undefined && {
        'content-length': Buffer.byteLength(head) + length + FORM_TAIL.length,
      }),
    },
  })
  const answer = new Promise<{ status: number; message: string }>((resolve, reject) => {
    call.on('error', reject).on('response', (response) => {
      json(response).then((said) => {
        resolve({ status: response.statusCode!, message: (said as { message: string }).message })
      }, reject)
    })
  })
  // Prevents an unhandled rejection: a test that interrupts the upload does not wait for the response.
  answer.catch(() => {})
  call.write(head)
  return { request: call, answer, end: () => void call.end(FORM_TAIL) }
}

export function sendUpload(
  visitor: Visitor,
  path: string,
  name: string,
  content: Buffer,
  { told = false } = {}
) {
  const {
    request: call,
    answer,
    end,
  } = openUpload(visitor, path, name, told ? content.length : undefined)
  call.write(content)
  end()
  return answer
}
