import type { IncomingMessage } from 'node:http'
import { vaultErrors } from '../errors.js'
import { sendContinue } from '../http/json_response.js'
import { readForm, type FormRules, type UploadForm } from '../http/upload_form.js'
import type { AccessKey, Checksums, StoredObject, Vault } from '../types.js'
import { parseS3Address, type S3Address } from './address.js'
import { assertVaultAllows } from './assert_vault_allows.js'
import { getAccessKey } from './authenticate.js'
import { sentChecksum, type SentChecksum } from './body.js'
import { utf8AsLatin1, type S3Response } from './call.js'
import { checksumHeaderName, createChecksumHasher } from './checksums.js'
import { S3Error } from './errors.js'
import type { S3Exchange } from './main.js'
import { assertSupportedHeaders, checksumHeaders, readObjectMetadata } from './object_headers.js'
import { assertFolderHasNoBody, hasControlCharacters } from './object_names.js'
import { assertPolicyAllows, parsePostPolicy, type PostPolicy } from './post_policy.js'
import { equalsInConstantTime, computeSignature, signingKey, uriEncodePath } from './signature.js'
import { parseFormSignatureClaim } from './signature_claim.js'

const formRules: FormRules = {
  isField: (name) => name !== 'file',
  maxFields: 100,
  maxFieldBytes: 20 * 1024,
}

/**
 * Returns whether a request is an S3 form upload to the vault's address. The vault's own upload API uses `/upload`
 * instead.
 */
export function isPostObjectRequest({ method, headers, url = '' }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    headers.authorization === undefined &&
    /^multipart\/form-data\b/i.test(headers['content-type'] ?? '') &&
    /^\/[^/?]+\/?$/.test(url) &&
    !/^\/(upload|remove)\/?$/.test(url)
  )
}

/**
 * Stores the file of an upload form (S3, "POST Object"). The owner of an access key has signed the form in advance.
 * Fields must come before the file. As in S3, fields after the file are ignored.
 */
export async function postObject(exchange: S3Exchange): Promise<S3Response> {
  const { store, request, response } = exchange
  const address = parseS3Address(request.url ?? '/')
  sendContinue(request, response)
  const form = await readForm(request, formRules)
  const fields = fieldsByName(form)
  const key = await authenticateForm(exchange, fields)
  const vault = await store.vaultById(key.vaultId)
  if (!vault || vault.state === 'deleted') throw vaultErrors.noVault()
  exchange.vault = vault
  const name = objectName(fields, form.filename)
  fields.set('key', name)
  assertVaultAllows({ changes: 'adds' }, vault, key, withName(address, name))
  const policy = parsePostPolicy(fields.get('policy')!)
  assertPolicyAllows(policy, fields, vault.key)
  const headers = headersOf(fields)
  const call = { headers, header: (header: string) => headers.get(header) }
  assertSupportedHeaders(call)
  const metadata = readObjectMetadata(call)
  const checksum = sentChecksum(call.header)
  const body = { taken: 0 }
  exchange.body = body
  const received = await store.receive(vault, checkedFile(form, { name, policy, checksum, body }))
  const checksums: Checksums = checksum
    ? { [checksum.algorithm]: checksum.value!, type: 'FULL_OBJECT' }
    : {}
  const stored = await store.put(vault, name, received, { ...metadata, checksums })
  return responseFor(vault, stored, fields)
}

/**
 * Returns the form's fields by name in lower case.
 * @throws S3Error InvalidArgument if two names differ only in case
 */
function fieldsByName({ before }: UploadForm): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(before)) {
    const lower = name.toLowerCase()
    if (fields.has(lower)) {
      throw new S3Error('InvalidArgument', `The form has the field "${lower}" more than once.`)
    }
    fields.set(lower, value)
  }
  return fields
}

async function authenticateForm(
  { store }: S3Exchange,
  fields: ReadonlyMap<string, string>
): Promise<AccessKey> {
  const claim = parseFormSignatureClaim((name) => fields.get(name))
  const key = await getAccessKey(store, claim.accessKeyId)
  // The signature covers the policy in its base64 form.
  const signature = computeSignature(signingKey(key.secret, claim.scope), fields.get('policy')!)
  if (equalsInConstantTime(signature, claim.signature)) return key
  throw new S3Error(
    'SignatureDoesNotMatch',
    'The signature of the policy does not match the signature you provided. Check your secret key, and sign the field "policy" as it is sent.',
    { AWSAccessKeyId: claim.accessKeyId, StringToSign: fields.get('policy')! }
  )
}

/**
 * Returns the object's name. Replaces `${filename}` in it by the uploaded file's name. Removes folders from that name,
 * because some browsers send the file's path.
 */
function objectName(fields: ReadonlyMap<string, string>, filename: string): string {
  const key = fields.get('key')
  if (!key) {
    throw new S3Error(
      'UserKeyMustBeSpecified',
      'The field "key", which names the object, must come before the file.'
    )
  }
  // The replacement is a function. In a text, `$&` and similar parts of the filename would have a special meaning.
  return key.replaceAll('${filename}', () => filename.replace(/^.*[\\/]/s, ''))
}

function withName(
  { bucket, query }: S3Address,
  name: string
): Parameters<typeof assertVaultAllows>[3] {
  return { bucket, query, name }
}

function headersOf(fields: ReadonlyMap<string, string>): Map<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of fields) {
    if (name === 'policy') continue
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || hasControlCharacters(value)) {
      throw new S3Error('InvalidArgument', `The field "${name}" cannot be a header.`)
    }
    headers.set(name === 'tagging' ? 'x-amz-tagging' : name, utf8AsLatin1(value))
  }
  return headers
}

/** Yields the bytes of the file. Throws if its size or checksum is not as the form says, at the latest at the end. */
async function* checkedFile(
  { file, fields }: UploadForm,
  expected: { name: string; policy: PostPolicy; checksum?: SentChecksum; body: { taken: number } }
): AsyncIterable<Buffer> {
  const { name, policy, checksum, body } = expected
  const hasher = checksum && createChecksumHasher(checksum.algorithm)
  for await (const chunk of file) {
    body.taken += chunk.length
    if (body.taken > policy.maxBytes) {
      throw new S3Error(
        'EntityTooLarge',
        `Your proposed upload exceeds the maximum allowed size of ${policy.maxBytes} bytes.`
      )
    }
    assertFolderHasNoBody(name, body.taken)
    hasher?.update(chunk)
    yield chunk
  }
  // Throws if the form is incomplete after the file.
  await fields
  if (body.taken < policy.minBytes) {
    throw new S3Error(
      'EntityTooSmall',
      `Your proposed upload is smaller than the minimum allowed size of ${policy.minBytes} bytes.`
    )
  }
  if (hasher && hasher.digest().toString('base64') !== checksum?.value) {
    throw new S3Error(
      'BadDigest',
      `The ${checksum!.algorithm} you specified in ${checksumHeaderName(checksum!.algorithm)} did not match what we received.`
    )
  }
}

function responseFor(
  vault: Vault,
  stored: StoredObject,
  fields: ReadonlyMap<string, string>
): S3Response {
  const etag = `"${stored.etag}"`
  const location = `/${vault.key}/${uriEncodePath(stored.name)}`
  const headers = { etag, location, ...checksumHeaders(stored) }
  const redirect = redirectUrl(fields.get('success_action_redirect') ?? fields.get('redirect'))
  if (redirect) {
    redirect.searchParams.set('bucket', vault.key)
    redirect.searchParams.set('key', stored.name)
    redirect.searchParams.set('etag', etag)
    return { status: 303, headers: { ...headers, location: redirect.href } }
  }
  const status = fields.get('success_action_status')
  if (status === '200') return { headers }
  if (status !== '201') return { status: 204, headers }
  const content = { Location: location, Bucket: vault.key, Key: stored.name, ETag: etag }
  return { status: 201, headers, xml: ['PostResponse', content] }
}

/**
 * Returns the URL to which the form redirects. Returns undefined if it is invalid, because S3 ignores an invalid URL.
 */
function redirectUrl(text: string | undefined): URL | undefined {
  const url = text === undefined ? null : URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
