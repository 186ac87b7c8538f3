import type { WordpressAdmin } from '#projects/machine/wordpress'
import vine from '@vinejs/vine'
import { randomInt } from 'node:crypto'

/** User names that WordPress accepts unchanged. */
const USER_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9 _.@-]{0,58}[A-Za-z0-9]$/
const MAX_EMAIL_LENGTH = 100
const PASSWORD_LENGTH_LIMITS = { least: 10, most: 128 }
const GENERATED_PASSWORD_LENGTH = 24
/** Letters and digits of generated passwords, without those that look alike. */
const PASSWORD_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** The first administrator from the project form. Empty fields have been filled in. */
export interface WordpressAdminInput {
  admin: WordpressAdmin
  /** Whether Berth generated the password, which must then be shown to the user. */
  generated: boolean
  /** Error messages by field. */
  errors: Record<string, string>
}

/**
 * Parses the first administrator of a new WordPress.
 * @param email the signed-in person's address, used if the form has none
 */
export function parseWordpressAdmin(
  sent: Record<string, unknown>,
  email: string
): WordpressAdminInput {
  const errors: Record<string, string> = {}
  const { wordpress_user: user, wordpress_email: mail, wordpress_password: password } = sent
  const admin = {
    user: textOf(user) || userNameFrom(email),
    email: textOf(mail) || email,
    password: typeof password === 'string' && password ? password : generatePassword(),
  }
  if (!USER_NAME_PATTERN.test(admin.user)) {
    errors.wordpress_user =
      'Enter 2 to 60 letters, digits, spaces, dots, hyphens, underscores or @.'
  }
  if (!isEmail(admin.email) || admin.email.length > MAX_EMAIL_LENGTH) {
    errors.wordpress_email = 'Enter an email address.'
  }
  const problem = passwordProblem(admin.password)
  if (problem) errors.wordpress_password = problem
  return { admin, generated: admin.password !== password, errors }
}

/** Uses the same rules as for email addresses of people. */
function isEmail(text: string): boolean {
  return vine.helpers.isEmail(text) && /^[^\s<>"]+$/.test(text)
}

function passwordProblem(password: string): string | null {
  const { least, most } = PASSWORD_LENGTH_LIMITS
  if ([...password].length < least) return `Use a password of at least ${least} characters.`
  if (Buffer.byteLength(password) > most) return `Use a password of at most ${most} bytes.`
  if (!password.isWellFormed() || /[\0-\x1f\x7f]/.test(password)) {
    return 'Use a password without line breaks or control characters.'
  }
  // WordPress trims spaces, so the user could not sign in with the password as typed.
  return password.trim() === password ? null : 'The password cannot begin or end with a space.'
}

/** Returns a user name made from the part of an email address before the @. */
function userNameFrom(email: string): string {
  const name = email.split('@')[0]!.replace(/[^A-Za-z0-9_.-]/g, '')
  return USER_NAME_PATTERN.test(name) ? name : 'admin'
}

function generatePassword(): string {
  return Array.from(
    { length: GENERATED_PASSWORD_LENGTH },
    () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)]
  ).join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
