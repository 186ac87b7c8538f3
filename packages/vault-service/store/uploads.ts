import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { vaultErrors, VaultError } from '../errors.js'
import type {
  BodyLocation,
  Checksums,
  WriteCondition,
  ObjectMetadata,
  UploadedPart,
  ReceivedBody,
  StoredObject,
  MultipartUpload,
  Vault,
} from '../types.js'
import { writePuts } from './object_writer.js'
import type { Database } from './database.js'
import type { ChangeCounters } from './change_counters.js'
import { MAX_OBJECT_BYTES } from './limits_and_prices.js'

interface UploadRow {
  id: string
  vault_id: number
  name: string
  type: string
  headers: ObjectMetadata['headers']
  meta: ObjectMetadata['meta']
  checksum: string | null
  completed: (Omit<StoredObject, 'modifiedAt'> & { modifiedAt: string }) | null
  started_at: Date
}

interface PartRow {
  number: number
  store: BodyLocation
  body: number
  size: number
  etag: string
  checksums: Checksums
  modified_at: Date
}

/** Minimum size of a part, except the last one (S3, "Amazon S3 multipart upload limits"). */
const MIN_PART_BYTES = 5 * 1_024 ** 2

/**
 * Multipart uploads. The body of a part belongs to the upload until the upload is completed. Then it becomes one of the
 * object's bodies.
 */
export class MultipartUploads {
  readonly #database: Database
  readonly #generations: ChangeCounters

  constructor(database: Database, generations: ChangeCounters) {
    this.#database = database
    this.#generations = generations
  }

  async begin(
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    checksum?: string
  ): Promise<MultipartUpload> {
    const row = await this.#database.row<UploadRow>(
      `insert into vault.uploads (id, vault_id, name, type, headers, meta, checksum)
       values ($1, $2, $3, $4, $5, $6, $7) returning *`,
      [
        randomBytes(16).toString('hex'),
        vault.id,
        name,
        metadata.type,
        JSON.stringify(metadata.headers),
        JSON.stringify(metadata.meta),
        checksum ?? null,
      ]
    )
    return uploadOf(row!)
  }

  async find(vault: Vault, id: string): Promise<MultipartUpload | undefined> {
    const row = await this.#row(vault, id)
    return row && uploadOf(row)
  }

  async putPart(
    vault: Vault,
    uploadId: string,
    number: number,
    received: ReceivedBody,
    checksums: Checksums
  ): Promise<UploadedPart> {
    return this.#database.transaction(async (client) => {
      await lockOpen(client, vault, uploadId)
      const old = await client.query<PartRow>(
        'delete from vault.parts where upload_id = $1 and number = $2 returning *',
        [uploadId, number]
      )
      await doom(client, vault, old.rows)
      const { rows } = await client.query<PartRow>(
        `insert into vault.parts (upload_id, number, store, body, size, etag, checksums)
         values ($1, $2, $3, $4, $5, $6, $7) returning *`,
        [
          uploadId,
          number,
          received.store,
          received.body,
          received.size,
          received.md5,
          JSON.stringify(checksums),
        ]
      )
      return partOf(rows[0])
    })
  }

  async parts(
    vault: Vault,
    uploadId: string,
    after: number,
    limit: number
  ): Promise<UploadedPart[]> {
    if (!(await this.#row(vault, uploadId))) throw vaultErrors.noUpload()
    const rows = await this.#database.rows<PartRow>(
      'select * from vault.parts where upload_id = $1 and number > $2 order by number limit $3',
      [uploadId, after, limit]
    )
    return rows.map(partOf)
  }

  async list(
    vault: Vault,
    {
      prefix = '',
      after,
      limit,
    }: { prefix?: string; after?: { name: string; id: string }; limit: number }
  ): Promise<MultipartUpload[]> {
    const rows = await this.#database.rows<UploadRow>(
      `select * from vault.uploads
       where vault_id = $1 and completed is null and starts_with(name, $2)
         and (name, id) > ($3, $4)
       order by name, id limit $5`,
      [vault.id, prefix, after?.name ?? '', after?.id ?? '', limit]
    )
    return rows.map(uploadOf)
  }

  async complete(
    vault: Vault,
    uploadId: string,
    wanted: { number: number; etag: string }[],
    condition?: WriteCondition,
    checksums: Checksums = {}
  ): Promise<StoredObject> {
    try {
      const object = await this.#database.transaction((client) =>
        completed(client, vault, uploadId, wanted, { condition, checksums })
      )
      this.#generations.bump(vault.id, object.name)
      return object
    } catch (error) {
      // After an error, PostgreSQL may still have committed the transaction, so cached objects may be outdated.
      if (!(error instanceof VaultError)) this.#generations.bumpVault(vault.id)
      throw error
    }
  }

  async abort(vault: Vault, uploadId: string): Promise<void> {
    await this.#database.transaction(async (client) => {
      const { rows } = await client.query<UploadRow>(
        'select * from vault.uploads where id = $1 and vault_id = $2 for update',
        [uploadId, vault.id]
      )
      if (!rows[0]) throw vaultErrors.noUpload()
      // The upload was completed meanwhile. Its parts belong to the object now and must not be removed.
      if (rows[0].completed) return
      const parts = await client.query<PartRow>(
        'delete from vault.parts where upload_id = $1 returning *',
        [uploadId]
      )
      await doom(client, vault, parts.rows)
      await client.query('delete from vault.uploads where id = $1', [uploadId])
    })
  }

  #row(vault: Vault, id: string): Promise<UploadRow | undefined> {
    return this.#database.row<UploadRow>(
      'select * from vault.uploads where id = $1 and vault_id = $2',
      [id, vault.id]
    )
  }
}

/**
 * Completes an upload in one transaction: creates the object, moves the parts to it and stores the response. A row lock
 * makes concurrent calls wait.
 */
async function completed(
  client: pg.PoolClient,
  vault: Vault,
  uploadId: string,
  wanted: { number: number; etag: string }[],
  { condition, checksums }: { condition?: WriteCondition; checksums: Checksums }
): Promise<StoredObject> {
  const { rows } = await client.query<UploadRow>(
    'select * from vault.uploads where id = $1 and vault_id = $2 for update',
    [uploadId, vault.id]
  )
  const row = rows[0]
  if (!row) throw vaultErrors.noUpload()
  if (row.completed) return { ...row.completed, modifiedAt: new Date(row.completed.modifiedAt) }
  const parts = await client.query<PartRow>(
    'select * from vault.parts where upload_id = $1 order by number',
    [uploadId]
  )
  const selectedParts = choose(parts.rows, wanted)
  const put = {
    vaultId: vault.id,
    name: row.name,
    condition,
    type: row.type,
    headers: row.headers,
    meta: row.meta,
    checksums,
    store: selectedParts[0].store,
    bodies: selectedParts.map(({ body }) => body),
    sizes: selectedParts.map(({ size }) => size),
    digests: selectedParts.map(({ etag }) => etag),
    size: selectedParts.reduce((sum, { size }) => sum + size, 0),
    etag: etagOf(selectedParts),
  }
  const run = async (text: string, values: unknown[]) => (await client.query(text, values)).rows
  const [stored] = await writePuts(run, [put])
  if (stored instanceof VaultError) throw stored
  const used = new Set(selectedParts.map(({ number }) => number))
  await doom(
    client,
    vault,
    parts.rows.filter(({ number }) => !used.has(number))
  )
  await client.query('delete from vault.parts where upload_id = $1', [uploadId])
  await client.query(
    'update vault.uploads set completed = $2, completed_at = now() where id = $1',
    [uploadId, JSON.stringify(stored)]
  )
  return stored
}

async function lockOpen(client: pg.PoolClient, vault: Vault, id: string): Promise<void> {
  const { rows } = await client.query<UploadRow>(
    'select * from vault.uploads where id = $1 and vault_id = $2 for update',
    [id, vault.id]
  )
  if (!rows[0] || rows[0].completed) throw vaultErrors.noUpload()
}

/** Marks bodies of parts that no object uses, so that they are removed later. */
async function doom(client: pg.PoolClient, { id }: Vault, parts: PartRow[]): Promise<void> {
  if (!parts.length) return
  await client.query(
    `insert into vault.doomed (body, store, size, vault_id)
     select *, $4 from unnest($1::bigint[], $2::text[], $3::bigint[])`,
    [
      parts.map(({ body }) => body),
      parts.map(({ store }) => store),
      parts.map(({ size }) => size),
      id,
    ]
  )
}

function choose(parts: PartRow[], wanted: { number: number; etag: string }[]): PartRow[] {
  const invalid = (message: string) => new VaultError(400, 'invalid_part', message)
  if (!wanted.length) throw invalid('List at least one part.')
  const known = new Map(parts.map((part) => [part.number, part]))
  const selectedParts = wanted.map(({ number, etag }, at) => {
    if (at && wanted[at - 1].number >= number) {
      throw new VaultError(400, 'invalid_part_order', 'List the parts in ascending order.')
    }
    const part = known.get(number)
    if (!part || part.etag !== etag) throw invalid(`Part ${number} with this ETag does not exist.`)
    return part
  })
  const small = selectedParts.slice(0, -1).find(({ size }) => size < MIN_PART_BYTES)
  if (small) {
    throw new VaultError(400, 'too_small', `Part ${small.number} is smaller than 5 MB.`)
  }
  if (selectedParts.reduce((sum, { size }) => sum + size, 0) > MAX_OBJECT_BYTES)
    throw vaultErrors.tooLarge()
  if (new Set(selectedParts.map(({ store }) => store)).size > 1) {
    throw new VaultError(
      409,
      'moved',
      'The vault was moved during the upload. Start the upload again.'
    )
  }
  return selectedParts
}

/** Returns the ETag in S3's format: the MD5 of the parts' MD5s, a hyphen and the number of parts. */
function etagOf(parts: PartRow[]): string {
  const all = createHash('md5')
  for (const { etag } of parts) all.update(etag, 'hex')
  return `${all.digest('hex')}-${parts.length}`
}

function uploadOf(row: UploadRow): MultipartUpload {
  return {
    id: row.id,
    vaultId: row.vault_id,
    name: row.name,
    checksum: row.checksum ?? undefined,
    startedAt: row.started_at,
  }
}

function partOf({ number, size, etag, checksums, modified_at: modifiedAt }: PartRow): UploadedPart {
  return { number, size, etag, checksums, modifiedAt }
}
