/**
 * Names on a machine are bytes. Inside Berth a name is text in which each byte that is no UTF-8 is a
 * lone surrogate (U+DC80-U+DCFF, as Python's `surrogateescape`). On the wire, in addresses and stored
 * input, a name that plain text cannot carry is `.berth-raw-` and its bytes in hex: no other thing
 * has such a name, since what begins with `.berth-` is Berth's own.
 */
const RAW_NAME_PATTERN = /^\.berth-raw-((?:[0-9a-f]{2})+)$/
/** With `u`, only surrogates that stand alone. */
const LONE_SURROGATES = /[\udc80-\udcff]/gu

/** Bytes as text that keeps every one of them. */
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

/** What `bytesToLosslessText` was given. */
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

/** A name as the wire carries it where plain text cannot. */
export function encodeRawName(name: string): string {
  return `.berth-raw-${losslessTextToBytes(name).toString('hex')}`
}

/** The name that a segment of the wire stands for; null for a plain one. */
export function decodeRawName(segment: string): string | null {
  const hex = RAW_NAME_PATTERN.exec(segment)?.[1]
  return hex === undefined ? null : bytesToLosslessText(Buffer.from(hex, 'hex'))
}

/**
 * Text as an argument of the machine's script, which turns octal escapes back into bytes: arguments
 * themselves can only be text.
 */
export function toOctalEscapes(text: string): string {
  const octal = (byte: string) => `\\0${(byte.charCodeAt(0) - 0xdc00).toString(8)}`
  return text.replaceAll('\\', '\\0134').replace(LONE_SURROGATES, octal)
}

/** How many bytes the character at a place has; 0 where there is none. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (length === 0 || at + length > bytes.length) return 0
  const one = bytes.subarray(at, at + length)
  return Buffer.from(one.toString()).equals(one) ? length : 0
}
