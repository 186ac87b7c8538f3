import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { vaultErrors, VaultError } from '../errors.js'
import { MAX_OBJECT_BYTES } from '../store/limits_and_prices.js'
import { readChunks } from '../store/byte_source.js'
import { assertWritable } from '../store/store.js'
import type { UsageMeter, ObjectMetadata, ObjectStore, Vault } from '../types.js'
import { sendJson, sendErrorWhileReceiving, sendContinue } from './json_response.js'
import { anyOriginRules, corsHeaders } from './cors.js'
import { readForm, type UploadFormFields, type UploadForm } from './upload_form.js'
import type { KeyAuthenticator } from './key_authenticator.js'
import { checkLink } from './signed_links.js'
import { checkNewName, joinName, type ObjectAddress } from './object_names.js'
import { contentTypeFromName } from './content_types.js'

export interface UploadDeps {
  store: Pick<ObjectStore, 'vaultByKey' | 'receive' | 'put'>
  meter: UsageMeter
}

/** Maximum bytes of a form without its file. */
const FORM_OVERHEAD_BYTES = 1024 ** 2

/**
 * Handles `POST /upload`: `multipart/form-data` with the file in `file`. The optional field `checksum`
 * (`sha256:<hexadecimal>`) must come before the file. `folder`, `filename` and `cache` may come before or after it.
 * `cache` has no effect, because the service never sends an outdated object. When the object is durable, responds with
 * `{ success, message, filepath }`. `filepath` is the object's name.
 */
export async function handleFormUpload(
  { store, meter, keys }: UploadDeps & { keys: KeyAuthenticator },
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  let vault: Vault | undefined
  let bytes = 0
  try {
    if (request.method !== 'POST') throw vaultErrors.method()
    vault = (await keys.check(request)).vault
    assertWritable(vault)
    if (Number(request.headers['content-length'] ?? 0) > MAX_OBJECT_BYTES + FORM_OVERHEAD_BYTES)
      throw vaultErrors.tooLarge()
    sendContinue(request, response)
    const form = await readForm(request)
    let name = ''
    const source = checked(form, {
      came: (length) => (bytes += length),
      named: (fields) => {
        name = checkNewName(joinName(fields.folder ?? '', filenameOf(form, fields)))
      },
    })
    const received = await store.receive(vault, source)
    await store.put(vault, name, received, metadataFor(name))
    meter.count(vault, bytes, 0)
    sendJson(response, 200, { success: true, message: 'File stored.', filepath: name })
  } catch (error) {
    if (isGone(request)) return
    if (vault && error instanceof VaultError) meter.count(vault, bytes, 0)
    sendErrorWhileReceiving(request, response, error)
  }
}

/**
 * Handles an upload by `PUT` with a signed link, also from pages of any origin. The body is the file, and must have
 * exactly the size that was signed. Responds like `handleFormUpload`.
 */
export async function handleSignedLinkUpload(
  { store, meter }: UploadDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { key, name, query }: ObjectAddress
): Promise<void> {
  const cors = corsHeaders(anyOriginRules, request.headers.origin, 'PUT')
  try {
    const vault = await store.vaultByKey(key)
    if (!vault) throw vaultErrors.noObject()
    const { size } = checkLink(vault, { method: 'PUT', name, query })
    assertWritable(vault)
    checkNewName(name)
    const sent = request.headers['content-length']
    if (sent === undefined) throw noLength()
    if (Number(sent) !== size)
      throw vaultErrors.notAllowed(
        `This link accepts exactly ${size} bytes, but ${sent} bytes were sent.`
      )
    sendContinue(request, response)
    const received = await store.receive(vault, readChunks(request), size)
    const { etag } = await store.put(vault, name, received, metadataFor(name))
    meter.count(vault, size, 0)
    const headers = { ...cors, ETag: `"${etag}"` }
    sendJson(response, 200, { success: true, message: 'File stored.', filepath: name }, headers)
  } catch (error) {
    if (isGone(request)) return
    sendErrorWhileReceiving(request, response, error, cors)
  }
}

/**
 * Yields the bytes of the file. Ends only after the whole form has been received and checked, so that an invalid form
 * stores no object.
 */
async function* checked(
  form: UploadForm,
  listener: { came: (bytes: number) => void; named: (fields: UploadFormFields) => void }
): AsyncIterable<Buffer> {
  // Computes the hash only if the form has a checksum, because that takes as long as writing the file.
  const hash = form.before.checksum ? createHash('sha256') : undefined
  for await (const chunk of form.file) {
    listener.came(chunk.length)
    hash?.update(chunk)
    yield chunk
  }
  const fields = await form.fields
  listener.named(fields)
  if (!fields.checksum) return
  if (!hash) throw vaultErrors.badRequest('Send the field "checksum" before the file.')
  assertChecksum(fields.checksum, hash.digest())
}

function filenameOf(form: UploadForm, fields: UploadFormFields): string {
  const filename = fields.filename || form.filename
  if (filename) return filename
  throw vaultErrors.name('The file has no name. Send the field "filename".')
}

function assertChecksum(sent: string, is: Buffer): void {
  const match = /^sha256:([0-9a-f]{64})$/i.exec(sent.trim())
  if (!match)
    throw vaultErrors.badRequest('Send the checksum as sha256: and 64 hexadecimal digits.')
  if (!timingSafeEqual(Buffer.from(match[1], 'hex'), is)) throw vaultErrors.checksum()
}

function metadataFor(name: string): ObjectMetadata {
  return { type: contentTypeFromName(name), headers: {}, meta: {}, checksums: {} }
}

function isGone(request: IncomingMessage): boolean {
  return request.socket.destroyed
}

function noLength(): VaultError {
  return new VaultError(411, 'length', 'Send the header Content-Length with the number of bytes.')
}
