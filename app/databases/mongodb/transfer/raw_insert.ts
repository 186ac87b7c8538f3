import { BSON, type Db, type Document } from 'mongodb'
import { createRequire } from 'node:module'

/**
 * The driver's own way for documents that are BSON already, which its bulk writes use; nobody else can
 * ask for it. Anything that is made into objects first comes out changed: fields with numbers for names
 * in another order, types that JavaScript does not have.
 */
interface DocumentSequence {
  push(document: Document, bytes: Uint8Array): number
}
const { DocumentSequence } = createRequire(import.meta.url)('mongodb/lib/cmap/commands.js') as {
  DocumentSequence: new (field: string) => DocumentSequence
}

/** What goes in one message: bytes and documents. The server's own limits are 48 MB and 100,000. */
export const BATCH_LIMITS = { bytes: 8 * 1024 * 1024, documents: 2_000 }

interface InsertOptions {
  /** Documents whose `_id` is there already are left out, not refused. */
  skipTaken?: boolean
  /** Whether what a validator would refuse comes in, as it was in the database that was dumped. */
  unvalidated?: boolean
}

/**
 * Inserts documents as they are, byte for byte.
 * @returns how many were left out because they are there already
 * @throws what the server says of the first one that it refuses
 */
export async function insertRaw(
  db: Db,
  collection: string,
  documents: Uint8Array[],
  { skipTaken = false, unvalidated = false }: InsertOptions = {}
): Promise<number> {
  const sequence = new DocumentSequence('documents')
  for (const bytes of documents) sequence.push(EMPTY_HEADER, bytes)
  const answer = await db.command({
    insert: collection,
    documents: sequence,
    ordered: !skipTaken,
    ...(unvalidated && { bypassDocumentValidation: true }),
  })
  const errors = (answer.writeErrors ?? []) as { code: number; errmsg: string }[]
  const other = errors.find(({ code }) => !(skipTaken && code === 11000))
  if (other) throw new Error(`collection ${collection}: ${other.errmsg}`)
  if (answer.writeConcernError) throw new Error(String(answer.writeConcernError.errmsg))
  if (Number(answer.n) + errors.length !== documents.length) {
    throw new Error(`collection ${collection}: the server did not accept all documents`)
  }
  return errors.length
}

const EMPTY_HEADER: Document = Object.freeze({})

/** The largest document there can be, with what the server itself may add; bytes. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024
const MIN_DOCUMENT_BYTES = 5

/**
 * The documents of a file, in batches. Throws for bytes that are none, and for an end within one.
 * @param named what the file is called in what is thrown
 */
export async function* readDocumentBatches(
  bytes: AsyncIterable<Uint8Array>,
  named: string
): AsyncGenerator<{ documents: Uint8Array[]; size: number }> {
  let rest: Buffer = Buffer.alloc(0)
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk)
    let at = 0
    while (rest.length - at >= 4) {
      const length = rest.readInt32LE(at)
      if (length < MIN_DOCUMENT_BYTES || length > MAX_DOCUMENT_BYTES)
        throw new Error(`${named} contains no documents`)
      if (rest.length - at < length) break
      if (rest[at + length - 1] !== 0)
        throw new Error(`${named} contains a document without its end`)
      waiting.push(rest.subarray(at, at + length))
      size += length
      at += length
      if (size >= BATCH_LIMITS.bytes || waiting.length >= BATCH_LIMITS.documents) {
        yield { documents: waiting, size }
        waiting = []
        size = 0
      }
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new Error(`${named} ends in the middle of a document`)
  if (waiting.length > 0) yield { documents: waiting, size }
}

/** Extended JSON, every type kept. */
export const toExtendedJson = (value: object) => BSON.EJSON.stringify(value, { relaxed: false })
export const fromExtendedJson = (text: string) =>
  BSON.EJSON.parse(text, { relaxed: false }) as Record<string, unknown>
