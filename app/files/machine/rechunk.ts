/**
 * Bytes that are written together, because each write has a fixed cost. This makes many small files
 * faster.
 */
const WRITE_CHUNK_BYTES = 64 * 1024

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
