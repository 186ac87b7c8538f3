/** Bytes of one write: what each costs, a small file need not pay. */
const WRITE_CHUNK_BYTES = 64 * 1024

/** The same bytes in pieces that are worth a write. */
export async function* rechunk(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [held, size]: [Buffer[], number] = [[], 0]
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    if (size < WRITE_CHUNK_BYTES) continue
    yield Buffer.concat(held)
    ;[held, size] = [[], 0]
  }
  yield Buffer.concat(held)
}
