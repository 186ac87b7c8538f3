import { AppError } from '#core/app_error'
import { generateBucketName } from '#vault/actions/create_vault'
import { SERVICE_DOWN_MESSAGE, vaultServiceUnavailable } from '#vault/errors'
import { callVaultService } from '#vault/call_vault_service'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The system bucket is a private vault (bucket) for files of Berth itself, such as chat attachments. It is not billed,
 * and no list contains it. Only Berth reads it, after checking whether the person may read the file.
 */

/** No customer has this account number. */
export const SYSTEM_ACCOUNT_ID = 0
/** Numbers of customers' vaults count up from 1. */
const SYSTEM_BUCKET_ID = 2 ** 31 - 1
const SETTINGS_KEY = 'house_vault'
/** Validity of a read link. The download must start before, but may end later. */
const READ_LINK_SECONDS = 60
/** Minimum time between two checks, so that pages that load often do not call the service each time. */
const RECHECK_INTERVAL_MS = 10_000
/** Maximum time that a page waits for a check. */
const PAGE_WAIT_MS = 1_000

let ready: Promise<string> | undefined

function systemBucketSecret(): Promise<string> {
  ready ??= createSystemBucket().catch((error: unknown) => {
    ready = undefined
    throw error
  })
  return ready
}

async function createSystemBucket(): Promise<string> {
  await db.rawQuery(
    'insert into settings (key, value) values (?, ?::jsonb) on conflict do nothing',
    [SETTINGS_KEY, JSON.stringify({ key: generateBucketName() })]
  )
  const { value } = await db.from('settings').where('key', SETTINGS_KEY).firstOrFail()
  const { key } = value as { key: string }
  const newBucket = await callVaultService('makeVault', {
    id: SYSTEM_BUCKET_ID,
    accountId: SYSTEM_ACCOUNT_ID,
    key,
  })
  await callVaultService('changeVault', { id: SYSTEM_BUCKET_ID, isPrivate: true })
  return newBucket.secret
}

let problem: string | null = null
let checkedAt = 0

/** @throws AppError if the service does not respond. `systemBucketSecret` calls it only once. */
async function checkService(): Promise<void> {
  await systemBucketSecret()
  await callVaultService('keys', { id: SYSTEM_BUCKET_ID })
}

/**
 * Returns why files cannot be stored; null if the last check of the service succeeded. If a check takes longer than
 * `PAGE_WAIT_MS`, returns the previous result.
 */
export async function systemBucketProblem(): Promise<string | null> {
  if (Date.now() - checkedAt > RECHECK_INTERVAL_MS) {
    checkedAt = Date.now()
    const look = checkService().then(
      () => void (problem = null),
      (error: unknown) =>
        void (problem = error instanceof AppError ? error.message : SERVICE_DOWN_MESSAGE)
    )
    await Promise.race([look, sleep(PAGE_WAIT_MS)])
  }
  return problem
}

/**
 * Stores a file. Returns the number of bytes.
 * @param name must be unique in the folder
 * @throws 507 if the service's storage is full, otherwise 503 if the service fails; the error of `bytes` if reading
 * fails
 */
export async function storeSystemFile(
  folder: string,
  name: string,
  bytes: Readable
): Promise<number> {
  const boundary = `house-${randomUUID()}`
  const field = (of: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${of}"\r\n\r\n${value}\r\n`
  let length = 0
  async function* form() {
    yield Buffer.from(
      `${field('folder', folder)}--${boundary}\r\nContent-Disposition: form-data; name="file"; ` +
        `filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
    )
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      length += chunk.length
      yield chunk
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  const key = await systemBucketSecret()
  let thrown: unknown
  bytes.once('error', (error) => (thrown = error))
  const answer = await fetch(address('/upload'), {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'x-access-key-id': String(SYSTEM_ACCOUNT_ID),
      'x-secret-key': key,
    },
    body: Readable.toWeb(Readable.from(form())) as ReadableStream,
    duplex: 'half',
  } as RequestInit).catch((error: unknown) => {
    throw thrown ?? vaultServiceUnavailable(error)
  })
  const { message } = (await answer.json().catch(() => ({}))) as { message?: string }
  if (answer.status === 507) throw new AppError('full', 507, message ?? 'The storage is full.')
  if (!answer.ok) throw vaultServiceUnavailable(new Error(message ?? String(answer.status)))
  return length
}

/**
 * Opens a stored file. Returns null if it does not exist.
 * @throws 503 if the service fails
 */
export async function openSystemBucketFile(
  name: string
): Promise<{ bytes: Readable; length: string | null } | null> {
  await systemBucketSecret()
  const { path } = await callVaultService('link', {
    id: SYSTEM_BUCKET_ID,
    name,
    expiresIn: READ_LINK_SECONDS,
  })
  const answer = await fetch(address(path), { headers: { 'accept-encoding': 'identity' } }).catch(
    (error: unknown) => {
      throw vaultServiceUnavailable(error)
    }
  )
  if (answer.status === 404) return null
  if (!answer.ok || !answer.body) throw vaultServiceUnavailable(new Error(String(answer.status)))
  const bytes = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
  return { bytes, length: answer.headers.get('content-length') }
}

/** Ignores names that do not exist. */
export async function removeSystemFiles(names: string[]): Promise<void> {
  await systemBucketSecret()
  await callVaultService('removeFiles', { id: SYSTEM_BUCKET_ID, names })
}

/** Returns an internal URL, so that Berth's own transfers do not use the public network. */
function address(path: string): string {
  const url = env.get('VAULT_CONTROL_URL')
  if (!url) throw vaultServiceUnavailable()
  return new URL(path, url).href
}
