import { randomInt } from 'node:crypto'

const MIN_LENGTH = 10
const MAX_BYTES = 128
const GENERATED_LENGTH = 24
/** Letters and digits without those that look alike, such as `l` and `1`. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** For passwords of database users and WordPress administrators. */
export function findServicePasswordProblem(password: string): string | null {
  if ([...password].length < MIN_LENGTH)
    return `Use a password of at least ${MIN_LENGTH} characters.`
  if (Buffer.byteLength(password) > MAX_BYTES)
    return `Use a password of at most ${MAX_BYTES} bytes.`
  return !password.isWellFormed() || /[\0-\x1f\x7f]/.test(password)
    ? 'Use a password without line breaks or control characters.'
    : null
}

/** Includes an upper-case letter, which MySQL users need, and a digit, which MongoDB users need. */
export function generateServicePassword(): string {
  for (;;) {
    const drawn = Array.from(
      { length: GENERATED_LENGTH },
      () => ALPHABET[randomInt(ALPHABET.length)]
    )
    const password = drawn.join('')
    if (/[A-Z]/.test(password) && /\d/.test(password)) return password
  }
}
