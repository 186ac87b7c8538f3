/**
 * File names on a machine are bytes; inside Berth they are strings. Each byte that is not valid UTF-8
 * becomes a lone surrogate (U+DC80-U+DCFF, like Python's `surrogateescape`). In requests, URLs and storage,
 * such a name is `.berth-raw-` and its bytes in hex. Berth reserves the prefix `.berth-`, so no other file
 * has such a name.
 */
const RAW_NAME_PATTERN = /^\.berth-raw-((?:[0-9a-f]{2})+)$/
/** The flag `u` makes this match only lone surrogates. */
const LONE_SURROGATES = /[\udc80-\udcff]/gu

export function bytesToLosslessText(bytes: Buffer): string {
  const plain = bytes.toString()
  if (!plain.includes('\ufffd') || Buffer.from(plain).equals(bytes)) return plain
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at)
    text += length
      ? bytes.toString('utf8', at, at + length)
      : String.fromCharCode(0xdc00 + bytes[at]!)
    at += length || 1
  }
  return text
}

export function losslessTextToBytes(text: string): Buffer {
  if (text.search(LONE_SURROGATES) === -1) return Buffer.from(text)
  return Buffer.concat(
    Array.from(text, (character) => {
      const code = character.codePointAt(0)!
      return code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(character)
    })
  )
}

export function encodeRawName(name: string): string {
  return `.berth-raw-${losslessTextToBytes(name).toString('hex')}`
}

/** Returns null if the segment is not encoded. */
export function decodeRawName(segment: string): string | null {
  const hex = RAW_NAME_PATTERN.exec(segment)?.[1]
  return hex === undefined ? null : bytesToLosslessText(Buffer.from(hex, 'hex'))
}

/**
 * Escapes text for a script, because arguments can only be text. The script turns octal escapes back into
 * bytes.
 */
export function toOctalEscapes(text: string): string {
  const octal = (byte: string) => `\\0${(byte.charCodeAt(0) - 0xdc00).toString(8)}`
  return text.replaceAll('\\', '\\0134').replace(LONE_SURROGATES, octal)
}

/** Returns the length in bytes of the UTF-8 character at an offset. 0: none. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (length === 0 || at + length > bytes.length) return 0
  const one = bytes.subarray(at, at + length)
  return Buffer.from(one.toString()).equals(one) ? length : 0
}
