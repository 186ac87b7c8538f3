import { isUtf8 } from 'node:buffer'

/**
 * Matches an encoded file name. File names on an instance are bytes, inside Berth they are strings. In a string, each
 * byte that is not valid UTF-8 is a lone surrogate (U+DC80-U+DCFF, like Python's `surrogateescape`). In requests, URLs
 * and storage, such a name is `.berth-raw-` and its bytes in hex. Berth reserves the prefix `.berth-`, so no other
 * file has such a name.
 */
const RAW_NAME_PATTERN = /^\.berth-raw-((?:[0-9a-f]{2})+)$/
/** The flag `u` makes this match only lone surrogates. */
const LONE_SURROGATES = /[\udc80-\udcff]/gu

export function bytesToLosslessText(bytes: Buffer): string {
  const plain = bytes.toString()
  if (!plain.includes('\ufffd') || Buffer.from(plain).equals(bytes)) return plain
  // Writes the string into a buffer. If it grew one character at a time, V8 would need 32 bytes for each character.
  const units = Buffer.allocUnsafe(2 * bytes.length)
  let end = 0
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at)
    if (length === 0) end = units.writeUInt16LE(0xdc00 + bytes[at]!, end)
    else if (length === 1) end = units.writeUInt16LE(bytes[at]!, end)
    else end += units.write(bytes.toString('utf8', at, at + length), end, 'utf16le')
    at += length || 1
  }
  return units.toString('utf16le', 0, end)
}

export function losslessTextToBytes(text: string): Buffer {
  if (text.search(LONE_SURROGATES) === -1) return Buffer.from(text)
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text))
  let [end, from] = [0, 0]
  for (const { 0: surrogate, index } of text.matchAll(LONE_SURROGATES)) {
    end += bytes.write(text.slice(from, index), end)
    end = bytes.writeUInt8(surrogate.charCodeAt(0) - 0xdc00, end)
    from = index + 1
  }
  end += bytes.write(text.slice(from), end)
  return bytes.subarray(0, end)
}

export function encodeRawName(name: string): string {
  return `.berth-raw-${losslessTextToBytes(name).toString('hex')}`
}

/** Returns null if the segment is not an encoded name. */
export function decodeRawName(segment: string): string | null {
  const hex = RAW_NAME_PATTERN.exec(segment)?.[1]
  return hex === undefined ? null : bytesToLosslessText(Buffer.from(hex, 'hex'))
}

/**
 * Escapes text for a script, because a command's arguments must be valid text. The script turns octal escapes back
 * into bytes.
 */
export function toOctalEscapes(text: string): string {
  const octal = (byte: string) => `\\0${(byte.charCodeAt(0) - 0xdc00).toString(8)}`
  return text.replaceAll('\\', '\\0134').replace(LONE_SURROGATES, octal)
}

/** Returns the length in bytes of the UTF-8 character at an offset, or 0 if no valid character begins there. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (length < 2) return length
  if (at + length > bytes.length) return 0
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
