/**
 * Serializes a value to JSON in pieces, so that the whole text is never in memory. A generator in the value becomes an
 * array, and each item is serialized when the generator yields it. An item that is itself iterable (a generator or an
 * array) must contain pieces of JSON text.
 */
export function* jsonChunks(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value)
  } else if (Array.isArray(value)) {
    yield* listOf(value.map(jsonChunks))
  } else if (isGenerator(value)) {
    yield* listOf(each(value))
  } else {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined)
    let sign = '{'
    for (const [key, part] of entries) {
      yield `${sign}${JSON.stringify(key)}:`
      yield* jsonChunks(part)
      sign = ','
    }
    yield entries.length ? '}' : '{}'
  }
}

function* listOf(items: Iterable<Iterable<string>>): Generator<string> {
  let sign = '['
  for (const item of items) {
    yield sign
    yield* item
    sign = ','
  }
  yield sign === '[' ? '[]' : ']'
}

function* each(items: Iterable<unknown>): Generator<Iterable<string>> {
  for (const item of items) {
    const isInPieces = typeof item === 'object' && item !== null && isGenerator(item)
    yield isInPieces ? (item as Generator<string>) : [JSON.stringify(item)]
  }
}

function isGenerator(value: object): value is Generator {
  return Symbol.iterator in value
}

/**
 * Joins pieces of text to buffers of about `size` characters, because one large write is cheaper than many small ones.
 */
export function* toBuffers(pieces: Iterable<string>, size = 64 * 1024): Generator<Buffer> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < size) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text) yield Buffer.from(text)
}
