import type { ServerResponse } from 'node:http'
import type { FakeRequest } from './http.ts'
import { sendMetadata, FakeError, parseJsonBody } from './http.ts'
import { startOperationAndRespond } from './operations.ts'
import type { FakeState } from './state.ts'

export function handleImages(
  state: FakeState,
  request: FakeRequest,
  response: ServerResponse
): void {
  const [, fingerprint, alias] = request.parts
  if (fingerprint === 'aliases') return aliases(state, alias, request, response)
  if (!fingerprint) {
    if (request.method === 'GET')
      return sendMetadata(
        response,
        [...state.images.keys()].map((key) => withAliases(state, key))
      )
    const header = String(request.headers['x-incus-properties'] ?? '')
    const properties = Object.fromEntries(new URLSearchParams(header))
    return startOperationAndRespond(state, response, 'Creating image', () => ({
      fingerprint: state.addImage(null, properties, request.body.length).fingerprint,
    }))
  }
  if (!state.images.has(fingerprint)) throw new FakeError(404, 'Image not found')
  if (request.method === 'DELETE') {
    return startOperationAndRespond(state, response, 'Deleting image', () => {
      state.images.delete(fingerprint)
      for (const [name, { target }] of state.aliases) {
        if (target === fingerprint) state.aliases.delete(name)
      }
    })
  }
  sendMetadata(response, withAliases(state, fingerprint))
}

function withAliases(state: FakeState, fingerprint: string): unknown {
  const named = [...state.aliases].filter(([, { target }]) => target === fingerprint)
  const shown = named.map(([name, { description }]) => ({ name, description }))
  return { ...state.images.get(fingerprint), aliases: shown }
}

function aliases(
  state: FakeState,
  name: string | undefined,
  request: FakeRequest,
  response: ServerResponse
): void {
  const body = parseJsonBody<{ name?: string; target: string; description?: string }>(request)
  const set = (key: string) => {
    if (!state.images.has(body.target)) throw new FakeError(404, 'Image not found')
    state.aliases.set(key, { target: body.target, description: body.description ?? '' })
    sendMetadata(response, {})
  }
  if (!name) {
    if (request.method === 'POST') return set(body.name!)
    return sendMetadata(
      response,
      [...state.aliases].map(([key, value]) => ({ name: key, ...value }))
    )
  }
  const alias = state.aliases.get(name)
  if (!alias) throw new FakeError(404, 'Image alias not found')
  if (request.method === 'PUT') return set(name)
  if (request.method === 'DELETE') {
    state.aliases.delete(name)
    return sendMetadata(response, {})
  }
  sendMetadata(response, { name, ...alias })
}
