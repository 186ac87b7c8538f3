import type { IncomingMessage, ServerResponse } from 'node:http'
import { vaultErrors } from '../errors.js'
import type { UsageMeter, ObjectStore } from '../types.js'
import { sendJson, sendError } from './json_response.js'
import type { KeyAuthenticator } from './key_authenticator.js'
import { joinName, parseQuery } from './object_names.js'

export interface RemoveDeps {
  store: Pick<ObjectStore, 'remove'>
  meter: UsageMeter
  keys: KeyAuthenticator
}

/**
 * Handles `/remove?folder=…&filename=…&cache=…` by GET, DELETE or POST. Deletes an object and responds with `{ success,
 * message, filepath }`. The parameter `cache` has no effect.
 */
export async function handleRemoveRequest(
  { store, meter, keys }: RemoveDeps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  try {
    if (!['GET', 'DELETE', 'POST'].includes(request.method!)) throw vaultErrors.method()
    assertNoPage(request)
    const { vault } = await keys.check(request)
    const query = parseQuery(request.url!.split('?')[1] ?? '')
    const name = joinName(query.get('folder') ?? '', query.get('filename') ?? '')
    const removed = await store.remove(vault, [name])
    meter.count(vault, 0, 0)
    if (removed.length === 0) throw vaultErrors.noObject()
    sendJson(response, 200, { success: true, message: 'File removed.', filepath: name })
  } catch (error) {
    sendError(response, error)
  }
}

/** Rejects GETs of web pages (CSRF). The specification requires that a GET deletes, so only programs may send it. */
function assertNoPage({ method, headers }: IncomingMessage): void {
  if (method !== 'GET') return
  const site = headers['sec-fetch-site'] ?? 'none'
  if (site !== 'none' || headers.origin !== undefined) {
    throw vaultErrors.notAllowed('A web page must use DELETE or POST to remove a file, not GET.')
  }
}
