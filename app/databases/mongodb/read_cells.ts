import { BSON, type Document } from 'mongodb'

/** Maximum length of all cells of a result together. Further rows are omitted. */
const MAX_RESPONSE_CHARACTERS = 4_000_000
/** Maximum bytes read from the server. A single document can have 16 MB. */
const MAX_READ_BYTES = 32 * 1024 ** 2
const MAX_CELL_CHARACTERS = 2_000

/**
 * Returns up to `limit` documents as JSON text. Stops earlier if the documents together have too many characters or
 * bytes.
 */
export async function readCells(
  documents: AsyncIterable<Document>,
  limit: number
): Promise<{ rows: string[][]; more: boolean }> {
  const rows: string[][] = []
  let [characters, bytes] = [0, 0]
  for await (const document of documents) {
    bytes += BSON.calculateObjectSize(document)
    const isFull = characters > MAX_RESPONSE_CHARACTERS || bytes > MAX_READ_BYTES
    // A first document above the limits is still returned.
    if (rows.length === limit || (isFull && rows.length > 0)) return { rows, more: true }
    const cell = documentCell(document)
    rows.push([cell])
    characters += cell.length
  }
  return { rows, more: false }
}

export function documentCell(document: Document): string {
  const text = BSON.EJSON.stringify(document, { relaxed: true })
  const shown = text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text
  return shown.toWellFormed()
}
