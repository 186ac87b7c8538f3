import vine, { SimpleMessagesProvider } from '@vinejs/vine'
import type { MessagesProviderContact } from '@vinejs/vine/types'

/** Password minimum of the specification; the maximum keeps hashing cheap. */
export const passwordLength = { min: 10, max: 200 }

const messages = {
  required: 'Enter the {{ field }}.',
  email: 'Enter a valid email.',
  string: 'Enter the {{ field }} as text.',
  minLength: 'The {{ field }} has at least {{ min }} characters.',
  maxLength: 'The {{ field }} has at most {{ max }} characters.',
  regex: 'The {{ field }} has characters that cannot be used.',
  enum: 'Choose one of the {{ field }}s offered.',
  sameAs: 'The passwords are not the same.',
  'otp.regex': 'The OTP has 6 digits.',
}
const fields = {
  otp: 'OTP',
  confirm_password: 'password again',
  current_password: 'current password',
  default_instance_id: 'instance',
}

/** The words that people read at a field. */
export const words = new SimpleMessagesProvider(messages, fields)

export const email = () =>
  vine
    .string()
    .trim()
    .toLowerCase()
    .maxLength(254)
    .email()
    .regex(/^[^\s<>"]+$/)

export const password = () =>
  vine.string().minLength(passwordLength.min).maxLength(passwordLength.max)
export const otp = () =>
  vine
    .string()
    .trim()
    .regex(/^\d{6}$/)
/** One line, no control characters. */
export const line = (max: number) =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(max)
    .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u)

/** What stands below a name; none when it is empty. */
export const title = () =>
  vine
    .string()
    .trim()
    .maxLength(100)
    .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u)
    .transform((text) => text || null)
    .optional()
    .nullable()

/** Gives a form our words. */
export function inOurWords<Form extends { messagesProvider: MessagesProviderContact }>(
  form: Form
): Form {
  form.messagesProvider = words
  return form
}

export const signInForm = inOurWords(
  vine.create({
    email: email(),
    password: vine.string().minLength(1).maxLength(passwordLength.max),
  })
)

export const addressForm = inOurWords(vine.create({ email: email() }))

export const codeForm = inOurWords(
  vine.create({
    otp: otp(),
    password: password(),
    confirm_password: vine.string().sameAs('password'),
  })
)

export const otpForm = inOurWords(vine.create({ otp: otp() }))
