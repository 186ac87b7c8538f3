import { notATextFile } from '#files/errors'
import { invalid, AppError } from '#core/app_error'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

const BYTE_ORDER_MARK = '\ufeff'
/**
 * Characters of the bytes 0x80-0x9f in Windows-1252 (WHATWG's encoding standard). All other bytes
 * equal Latin-1. A space stands for a byte without a character.
 */
const WINDOWS_1252_CHARACTERS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const FIRST_MAPPED_BYTE = 0x80
/**
 * Control characters that text files do not contain. Tabs, line breaks, form feeds and escapes do
 * occur there.
 */
const CONTROL_CHARACTERS = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/

/**
 * Decodes text. UTF-16 is recognized by its byte order mark. Otherwise tries UTF-8, then
 * Windows-1252, which WHATWG also uses for Latin-1. Keeps a byte order mark in the text, so that
 * saving writes it again.
 * @throws 415 if the file is not text
 */
export function decodeText(content: Buffer): { text: string; encoding: Encoding } {
  const mark = content.subarray(0, 2).toString('hex')
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  const text = decoded(content, encoding)
  if (text !== null && !text.includes('\0')) return { text, encoding }
  if (encoding !== 'utf-8') throw notATextFile()
  const plain = content.toString('latin1')
  if (CONTROL_CHARACTERS.test(plain)) throw notATextFile()
  const old = plain.replaceAll(
    /[\x80-\x9f]/g,
    (character) => WINDOWS_1252_CHARACTERS[character.charCodeAt(0) - FIRST_MAPPED_BYTE]
  )
  const unknown = /[\x81\x8d\x8f\x90\x9d]/
  if (unknown.test(plain)) throw notATextFile()
  return { text: old, encoding: 'windows-1252' }
}

function decoded(content: Buffer, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}

/** @throws 422 with code `encoding` if Windows-1252 lacks a character */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding !== 'windows-1252') {
    // Writes a byte order mark, because without one no program could detect UTF-16.
    const bytes = Buffer.from(
      text.startsWith(BYTE_ORDER_MARK) ? text : BYTE_ORDER_MARK + text,
      'utf16le'
    )
    return encoding === 'utf-16be' ? bytes.swap16() : bytes
  }
  const missing = new Set<string>()
  const plain = Array.from(text, (character) => {
    const code = character.codePointAt(0)!
    if (code < FIRST_MAPPED_BYTE || (code >= 0xa0 && code <= 0xff)) return character
    const at = character === ' ' ? -1 : WINDOWS_1252_CHARACTERS.indexOf(character)
    if (at === -1) missing.add(character)
    return String.fromCharCode(FIRST_MAPPED_BYTE + at)
  }).join('')
  if (missing.size > 0) throw cannotHold([...missing])
  return Buffer.from(plain, 'latin1')
}

function cannotHold(letters: string[]): AppError {
  const some = letters.slice(0, 5).map((character) => `“${character.toWellFormed()}”`)
  const more = letters.length > some.length ? ' and others' : ''
  const message = `This file uses the encoding Windows-1252, which does not contain ${some.join(', ')}${more}. Nothing was changed. Save the file as UTF-8, or remove these characters.`
  const { errors } = invalid({ content: message })
  return new AppError('encoding', 422, message, { errors })
}
