import { randomInt } from 'node:crypto'

const MIN_LENGTH = 10
const MAX_BYTES = 128
const GENERATED_LENGTH = 24
/** Letters and digits without those that look alike, such as `l` and `1`. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** Checks a password of a database user or WordPress administrator. Returns the problem, or `null`. */
export function findServicePasswordProblem(password: string): string | null {
  if ([...password].length < MIN_LENGTH)
    return `Use a password of at least ${MIN_LENGTH} characters.`
  if (Buffer.byteLength(password) > MAX_BYTES)
    return `Use a password of at most ${MAX_BYTES} bytes.`
  return !password.isWellFormed() || /[\0-\x1f\x7f]/.test(password)
    ? 'Use a password without line breaks or control characters.'
    : null
}

/** Generates a password with an upper-case letter and a digit, because database engines require both. */
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
