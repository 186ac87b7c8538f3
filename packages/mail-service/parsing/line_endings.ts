const CR = 13
const LF = 10

/**
 * Returns whether a CR or LF stands alone. Another server might interpret it as the end of the message (SMTP
 * smuggling).
 */
export function hasBareLineEndings(raw: Buffer): boolean {
  for (let at = raw.indexOf(LF); at >= 0; at = raw.indexOf(LF, at + 1)) {
    if (raw[at - 1] !== CR) return true
  }
  for (let at = raw.indexOf(CR); at >= 0; at = raw.indexOf(CR, at + 1)) {
    if (raw[at + 1] !== LF) return true
  }
  return false
}

/** Replaces each CR or LF that stands alone by CR LF, so that all parsers see the same lines. */
export function normalizeLineEndings(raw: Buffer): Buffer {
  if (!hasBareLineEndings(raw)) return raw
  const normalized = Buffer.allocUnsafe(raw.length * 2)
  let length = 0
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]!
    if (byte !== CR && byte !== LF) {
      normalized[length++] = byte
      continue
    }
    if (byte === CR && raw[at + 1] === LF) at++
    normalized[length++] = CR
    normalized[length++] = LF
  }
  return normalized.subarray(0, length)
}
