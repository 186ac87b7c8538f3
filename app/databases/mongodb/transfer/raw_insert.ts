import { BSON, type Db, type Document } from 'mongodb'
import { createRequire } from 'node:module'

/**
 * The driver's internal class for documents that are already BSON. Converting them to objects would reorder numeric
 * field names and lose types that JavaScript lacks.
 */
interface DocumentSequence {
  push(document: Document, bytes: Uint8Array): number
}
const { DocumentSequence } = createRequire(import.meta.url)('mongodb/lib/cmap/commands.js') as {
  DocumentSequence: new (field: string) => DocumentSequence
}

/** Limits per message, in bytes and documents. The server allows 48 MB and 100,000. */
export const BATCH_LIMITS = { bytes: 8 * 1024 * 1024, documents: 2_000 }

interface InsertOptions {
  /** Skips documents whose `_id` already exists in the collection. */
  skipTaken?: boolean
  /** Inserts documents that the collection's validator would reject. */
  unvalidated?: boolean
}

/**
 * @returns the number of skipped documents
 * @throws the server's message for the first rejected document
 */
export async function insertBsonDocuments(
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

/** Maximum document size, plus space for fields that the server may add. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024
const MIN_DOCUMENT_BYTES = 5

/**
 * Splits a BSON file into batches of documents.
 * @param named file name for error messages
 * @throws if a document's length is invalid, a document does not end with a zero byte, or the file ends within one
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

/** Canonical Extended JSON preserves all types. */
export const toExtendedJson = (value: object) => BSON.EJSON.stringify(value, { relaxed: false })
export const fromExtendedJson = (text: string) =>
  BSON.EJSON.parse(text, { relaxed: false }) as Record<string, unknown>
