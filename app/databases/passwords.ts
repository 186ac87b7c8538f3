import type { Engine } from '#databases/engines'
import { invalid } from '#core/app_error'
import { randomInt } from 'node:crypto'

const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_BYTES = 128

/** The password rules that the hints below the field describe (product, "Databases"). */
const rules: Record<Engine, { pattern: RegExp; lacks: string }> = {
  mysql: {
    pattern: /\p{Lu}/u,
    lacks: 'The password needs an upper-case letter.',
  },
  mongodb: {
    pattern: /\d/,
    lacks: 'The password needs a digit.',
  },
}

/**
 * Returns a valid password unchanged, including spaces at its ends.
 * @throws AppError 422 at `field`
 */
export function parsePassword(engine: Engine, sent: unknown, field = 'user_password'): string {
  const { pattern, lacks } = rules[engine]
  const reject = (message: string) => invalid({ [field]: message })
  if (typeof sent !== 'string' || sent === '') throw reject('Enter the password.')
  if ([...sent].length < MIN_PASSWORD_LENGTH)
    throw reject(`Use a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
  if (Buffer.byteLength(sent) > MAX_PASSWORD_BYTES)
    throw reject(`Use a password of at most ${MAX_PASSWORD_BYTES} bytes.`)
  if (!sent.isWellFormed() || /[\0-\x1f\x7f]/.test(sent)) {
    throw reject('Use a password without line breaks or control characters.')
  }
  if (!pattern.test(sent)) throw reject(lacks)
  return sent
}

const PASSWORD_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** Generates a password that meets the rules of all engines, without letters and digits that look alike. */
export function generatePassword(): string {
  const draw = () =>
    Array.from({ length: 24 }, () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)]).join(
      ''
    )
  for (;;) {
    const drawn = draw()
    if (/[A-Z]/.test(drawn) && /\d/.test(drawn)) return drawn
  }
}
