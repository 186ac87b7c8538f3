/** Invisible characters that messengers and word processors add. */
const INVISIBLE_PATTERN = /\p{Cf}/gu
/** Code points of the zeros of Bangla, Devanagari, Arabic, Persian and full-width digits. */
const DIGIT_ZEROS = [0x09e6, 0x0966, 0x0660, 0x06f0, 0xff10]

/** Converts to Latin digits and plain spaces. Removes invisible characters. */
export function toPlainText(text: string): string {
  const latin = text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!
    const zero = DIGIT_ZEROS.find((start) => code >= start && code < start + 10)
    return zero === undefined ? digit : String(code - zero)
  })
  return latin.replace(INVISIBLE_PATTERN, '').replace(/\s+/g, ' ').trim()
}

/**
 * Matches a label and the ID after it: `TrxID 8N7A2B3C4D`, `Transaction no. is: 8N7A2B3C4D`,
 * `লেনদেন আইডি: 8N7A2B3C4D`
 */
const LABELLED_ID_PATTERN =
  /(?:\b(?:trx|txn|trans?action|trans?)[. ]*(?:id|no|number)?\b|\bid\b|আইডি)[ .:=#"'-]*(?:is\b[ .:="']*)?((?=[A-Z-]*\d)[A-Z0-9][A-Z0-9-]{3,39})(?![A-Z0-9])/gi

/**
 * Finds a transaction ID in pasted text. The text can be the ID itself, in lower case or in groups,
 * or the operator's whole message. Returns `null` unless the text contains exactly one ID.
 */
export function findTransactionId(text: string): string | null {
  const plain = toPlainText(text).replace(/^["'“‘(]+|["'”’).,;]+$/g, '')
  if (/^[A-Z0-9-]{4,40}$/i.test(plain)) return plain.toUpperCase()
  const withDigit = (id: string) => /\d/.test(id)
  const found = new Set([...plain.matchAll(LABELLED_ID_PATTERN)].map(([, id]) => id.toUpperCase()))
  if (found.size > 0) return found.size === 1 ? [...found][0] : null
  const groups = plain.split(' ')
  if (!groups.every((group) => /^[A-Z0-9-]+$/i.test(group))) return null
  // Some people type an ID in groups. A sentence differs from that: it has long words, or few words
  // with digits.
  const isGrouped =
    groups.every(({ length }) => length <= 5) &&
    groups.filter(withDigit).length * 2 >= groups.length
  const joined = groups.join('').toUpperCase()
  return isGrouped && joined.length >= 4 && joined.length <= 40 ? joined : null
}

/** Removes thousands separators: `1,22,500.00` becomes `122500.00`. */
export function withoutThousandsSeparators(figures: string): string {
  return /^\d{1,3}(,\d{2,3})*,\d{3}(\.\d+)?$/.test(figures) ? figures.replaceAll(',', '') : figures
}
