import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

export class FakeError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface FakeRequest {
  method: string
  path: string
  parts: string[]
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

export function parseJsonBody<T>(request: FakeRequest): T {
  try {
    return JSON.parse(request.body.toString() || '{}') as T
  } catch {
    throw new FakeError(400, 'invalid JSON')
  }
}

export async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const url = new URL(incoming.url ?? '/', 'http://fake')
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    parts: url.pathname.split('/').slice(2).map(decodeURIComponent),
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  }
}

export function etagOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** @throws FakeError 412 if the request has an `If-Match` header with another etag */
export function checkEtag(request: FakeRequest, present: unknown): void {
  const wanted = request.headers['if-match']
  if (wanted && wanted !== etagOf(present)) {
    throw new FakeError(412, "ETag doesn't match: precondition failed")
  }
}

export function sendMetadata(
  response: ServerResponse,
  metadata: unknown,
  etagSource?: unknown
): void {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (etagSource !== undefined) headers.etag = etagOf(etagSource)
  response.writeHead(200, headers)
  const body = { type: 'sync', status: 'Success', status_code: 200, metadata }
  response.end(JSON.stringify(body))
}

export function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({ type: 'error', error: message, error_code: status, metadata: null })
  )
}
