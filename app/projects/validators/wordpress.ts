import { problemRule } from '#core/field_rules'
import { findServicePasswordProblem, generateServicePassword } from '#core/service_passwords'
import { withMessages } from '#core/validation_messages'
import type { WordpressAdmin } from '#projects/machine/wordpress'
import vine from '@vinejs/vine'
import type { FieldContext, Infer } from '@vinejs/vine/types'

/** Matches user names that WordPress accepts unchanged. */
const USER_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9 _.@-]{0,58}[A-Za-z0-9]$/
const MAX_EMAIL_LENGTH = 100

/** Fills an empty field with a value that is derived from the signed-in person's email address. */
const orFrom =
  (fromEmail: (email: string) => string) =>
  (value: unknown, { meta }: Pick<FieldContext, 'meta'>) =>
    (typeof value === 'string' ? value.trim() : value) || fromEmail(meta.email)

/** Fields of WordPress's first administrator. Without a password, Berth generates one. */
export const wordpressFields = () => ({
  wordpress_user: vine.string().parse(orFrom(userNameFrom)).regex(USER_NAME_PATTERN),
  // The same rules as for email addresses of people.
  wordpress_email: vine
    .string()
    .parse(orFrom((email) => email))
    .maxLength(MAX_EMAIL_LENGTH)
    .email()
    .regex(/^[^\s<>"]+$/),
  wordpress_password: vine
    .string()
    .parse((value) => value || undefined)
    .use(problemRule(findPasswordProblem))
    .optional(),
})

export const wordpressMessages = {
  'wordpress_user.invalid':
    'Enter 2 to 60 letters, digits, spaces, dots, hyphens, underscores or @.',
  'wordpress_email.invalid': 'Enter an email address.',
}

export const wordpressAdminValidator = withMessages(
  vine.withMetaData<{ email: string }>().create(wordpressFields()),
  wordpressMessages
)

export type WordpressFields = Infer<typeof wordpressAdminValidator>

export function wordpressAdminFrom(fields: WordpressFields): WordpressAdmin {
  const { wordpress_user: user, wordpress_email: email, wordpress_password: password } = fields
  return { user, email, password: password ?? generateServicePassword() }
}

function findPasswordProblem(password: string): string | null {
  const problem = findServicePasswordProblem(password)
  if (problem) return problem
  // WordPress trims spaces, so the user could not sign in with the password as typed.
  return password.trim() === password ? null : 'The password cannot begin or end with a space.'
}

function userNameFrom(email: string): string {
  const name = email.split('@')[0]!.replace(/[^A-Za-z0-9_.-]/g, '')
  return USER_NAME_PATTERN.test(name) ? name : 'admin'
}
