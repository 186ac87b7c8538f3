import { mailErrors } from '../errors.js'
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../limits.js'

const QUOTE_BYTE = 0x22
const BACKSLASH_BYTE = 0x5c
const [OPEN, CLOSE, COMMA, COLON] = [[0x5b, 0x7b], [0x5d, 0x7d], 0x2c, 0x3a]
const CONTENT_KEY_BYTES = Buffer.from('"content"')

/**
 * Counts the values and levels of JSON before it is parsed, because 18 MB of `{}` would become a gigabyte of objects.
 * @returns the size in bytes, without attachments (strings named `content`)
 * @throws MailError 422 for too many values or levels
 */
export function checkAndMeasureJson(json: Buffer): number {
  let values = 1
  let depth = 0
  let plain = json.length
  let isAttached = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE_BYTE) {
      const end = endOfString(json, at)
      if (isAttached) plain -= end - at
      isAttached =
        json[at + 1] === CONTENT_KEY_BYTES[1] &&
        json.subarray(at, end + 1).equals(CONTENT_KEY_BYTES)
      at = end
      continue
    }
    const opens = OPEN.includes(byte)
    if (opens || byte === COMMA) values++
    if (opens) depth++
    else if (CLOSE.includes(byte)) depth--
    if (byte > 0x20 && byte !== COLON) isAttached = false
    if (values > MAX_JSON_VALUES) {
      throw mailErrors.invalid(`The JSON has more than ${MAX_JSON_VALUES} values.`)
    }
    if (depth > MAX_JSON_DEPTH) {
      throw mailErrors.invalid(`The JSON has more than ${MAX_JSON_DEPTH} levels.`)
    }
  }
  return plain
}

/** Returns the position of the quote that ends a string. Returns the length of the JSON if no quote ends it. */
function endOfString(json: Buffer, begin: number): number {
  for (let at = begin; ;) {
    at = json.indexOf(QUOTE_BYTE, at + 1)
    if (at < 0) return json.length
    let backslashes = 0
    while (json[at - 1 - backslashes] === BACKSLASH_BYTE) backslashes++
    if (backslashes % 2 === 0) return at
  }
}
