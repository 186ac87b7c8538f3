import type { Engine } from '#databases/engines'
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

/** Returns why a user cannot have a password, or null if they can. */
export function findPasswordProblem(engine: Engine, password: string): string | null {
  const { pattern, lacks } = rules[engine]
  if (password === '') return 'Enter the password.'
  if ([...password].length < MIN_PASSWORD_LENGTH)
    return `Use a password of at least ${MIN_PASSWORD_LENGTH} characters.`
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `Use a password of at most ${MAX_PASSWORD_BYTES} bytes.`
  if (!password.isWellFormed() || /[\0-\x1f\x7f]/.test(password)) {
    return 'Use a password without line breaks or control characters.'
  }
  return pattern.test(password) ? null : lacks
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
