import { finished, type Readable } from 'node:stream'
import { vaultErrors } from '../errors.js'
import { MAX_OBJECT_BYTES } from './limits_and_prices.js'

/** @throws VaultError if the number of bytes is not `size` or, without `size`, exceeds the maximum size of an object */
export async function* withExpectedSize(
  source: AsyncIterable<Buffer>,
  size?: number
): AsyncGenerator<Buffer, void> {
  let received = 0
  for await (const chunk of source) {
    received += chunk.length
    if (received > (size ?? MAX_OBJECT_BYTES)) {
      throw size === undefined
        ? vaultErrors.tooLarge()
        : vaultErrors.cutShort('The request has more bytes than announced.')
    }
    yield chunk
  }
  if (size !== undefined && received < size) throw vaultErrors.cutShort()
}

/**
 * Reads a source until it ends, or until more than `maxBytes` bytes were read. `isAll`: whether the source has ended.
 * Always false if `maxBytes` is 0.
 */
export async function readBeginning(
  source: AsyncIterator<Buffer>,
  maxBytes: number
): Promise<{ first: Buffer[]; isAll: boolean }> {
  const first: Buffer[] = []
  for (let length = 0; length <= maxBytes;) {
    const { done, value } = await source.next()
    if (done) return { first, isAll: maxBytes > 0 }
    first.push(value)
    length += value.length
  }
  return { first, isAll: false }
}

export async function* prependChunks(
  first: Buffer[],
  rest?: AsyncIterator<Buffer>
): AsyncGenerator<Buffer, void> {
  yield* first
  for (let next = await rest?.next(); next && !next.done; next = await rest!.next()) {
    yield next.value
  }
}

/**
 * Yields a stream's chunks as they arrive. The stream's own iterator would join buffered chunks, which copies most
 * data. If the caller stops early, the stream is paused but stays open, because the response needs the request's
 * connection.
 * @throws the stream's error
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer, void> {
  const waiting: Buffer[] = []
  let end: { error?: Error | null } | undefined
  let wake = () => {}
  const hear = (chunk: Buffer) => {
    waiting.push(chunk)
    stream.pause()
    wake()
  }
  const forget = finished(stream, { writable: false }, (error) => {
    end = { error }
    wake()
  })
  stream.on('data', hear)
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (waiting.length) continue
      if (end) break
      await new Promise<void>((woken) => {
        wake = woken
        stream.resume()
      })
    }
    if (end.error) throw end.error
  } finally {
    forget()
    stream.off('data', hear).pause()
  }
}
