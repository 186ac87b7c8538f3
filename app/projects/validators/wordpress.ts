import type { WordpressAdmin } from '#projects/machine/wordpress'
import vine from '@vinejs/vine'
import { randomInt } from 'node:crypto'

/** Names that WordPress takes without changing them. */
const USER = /^[A-Za-z0-9][A-Za-z0-9 _.@-]{0,58}[A-Za-z0-9]$/
const MAX_EMAIL_LENGTH = 100
const PASSWORD_LENGTH = { least: 10, most: 128 }
const GENERATED_LENGTH = 24
/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

/** The first administrator as a form sends it: what is left out is chosen here. */
export interface ChosenAdmin {
  admin: WordpressAdmin
  /** Whether its password was made here, and has to be shown to the person. */
  generated: boolean
  /** Words for fields that cannot be used. */
  errors: Record<string, string>
}

/**
 * Reads the first administrator of a new WordPress.
 * @param email the person's own, used where none is sent
 */
export function readWordpressAdmin(sent: Record<string, unknown>, email: string): ChosenAdmin {
  const errors: Record<string, string> = {}
  const { wordpress_user: user, wordpress_email: mail, wordpress_password: password } = sent
  const admin = {
    user: textOf(user) || userNameFrom(email),
    email: textOf(mail) || email,
    password: typeof password === 'string' && password ? password : generatePassword(),
  }
  if (!USER.test(admin.user)) {
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

/** As addresses of people are judged. */
function isEmail(text: string): boolean {
  return vine.helpers.isEmail(text) && /^[^\s<>"]+$/.test(text)
}

function passwordProblem(password: string): string | null {
  const { least, most } = PASSWORD_LENGTH
  if ([...password].length < least) return `The password has at least ${least} characters.`
  if (Buffer.byteLength(password) > most) return `The password has at most ${most} bytes.`
  if (!password.isWellFormed() || /[\0-\x1f\x7f]/.test(password)) {
    return 'The password is one line, without control characters.'
  }
  // WordPress cuts spaces off, so that the person could not sign in with what was typed.
  return password.trim() === password ? null : 'The password cannot begin or end with a space.'
}

/** A user name from the part of an address before its @. */
function userNameFrom(email: string): string {
  const name = email.split('@')[0]!.replace(/[^A-Za-z0-9_.-]/g, '')
  return USER.test(name) ? name : 'admin'
}

function generatePassword(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
