import { parseEmailAddress, type EmailAddress } from '../addresses.js'
import { MailError } from '../errors.js'
import { checkAndMeasureJson } from '../parsing/json_size.js'

/** Characters that could end a header field, or that PostgreSQL cannot store in text. */

const CONTROL_CHARACTERS = /[\x00-\x1f\x7f\x85\u2028\u2029]/

export class FieldReader {
  readonly errors: Record<string, string[]> = {}

  readonly #input: Record<string, unknown>

  constructor(input: Record<string, unknown>) {
    this.#input = input
  }

  get(name: string): unknown {
    const value = this.#input[name]
    return value === null || value === '' ? undefined : value
  }

  wrong(name: string, message: string): undefined {
    ;(this.errors[name] ??= []).push(message)
    return undefined
  }

  line(name: string, maxLength: number): string | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') return this.wrong(name, 'This must be text.')
    if (CONTROL_CHARACTERS.test(value))
      return this.wrong(name, 'Line breaks and control characters are not allowed here.')
    if (value.length > maxLength) return this.wrong(name, `Use at most ${maxLength} characters.`)
    return value.toWellFormed()
  }

  text(name: string): string | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') return this.wrong(name, 'This must be text.')
    if (value.includes('\0')) return this.wrong(name, 'The text must not contain NUL characters.')
    return value.toWellFormed()
  }

  address(name: string): EmailAddress | undefined {
    const value = this.line(name, 400)
    if (value === undefined) return undefined
    const address = parseEmailAddress(value.trim())
    return typeof address === 'string' ? this.wrong(name, address) : address
  }

  /** Parses a boolean in any notation that is common in JSON or forms. */
  yes(name: string): boolean {
    const value = this.get(name)
    if (value === undefined || [false, 'false', '0', 'no', 'off'].includes(value as string)) {
      return false
    }
    if ([true, 'true', '1', 'yes', 'on'].includes(value as string)) return true
    this.wrong(name, 'This must be true or false.')
    return false
  }

  json(name: string): unknown {
    const value = this.get(name)
    if (typeof value !== 'string') return value
    try {
      checkAndMeasureJson(Buffer.from(value))
      return JSON.parse(value)
    } catch (error) {
      return error instanceof MailError ? this.wrong(name, error.message) : value
    }
  }
}

export function isHeaderLine(value: unknown, maxBytes: number): value is string {
  return (
    typeof value === 'string' &&
    !CONTROL_CHARACTERS.test(value) &&
    Buffer.byteLength(value) <= maxBytes
  )
}
