export interface JsonLimits {
  /** Maximum array elements and object members in the whole document. */
  values: number
  /** Maximum levels of arrays and objects. */
  depth: number
}

const QUOTE_CODE = 0x22
const BACKSLASH_CODE = 0x5c

/**
 * Counts values and levels without parsing, so that a small text cannot expand into objects that fill the memory.
 * Returns the name of the exceeded limit, or `null`. The text need not be valid JSON.
 */
export function findExceededJsonLimit(text: string, limits: JsonLimits): keyof JsonLimits | null {
  let values = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE_CODE:
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limits.depth) return 'depth'
        if (++values > limits.values) return 'values'
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case 0x2c: // ,
        if (++values > limits.values) return 'values'
    }
  }
  return null
}

/** Returns the offset of the quote that ends a string, or the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE_CODE) return at
    if (code === BACKSLASH_CODE) at++
  }
  return text.length
}
