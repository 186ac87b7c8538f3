import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Password minimum of the specification; the maximum keeps hashing cheap. */
export const passwordLength = { min: 10, max: 200 }

/** What labels call the fields of people. */
export const fieldLabels = {
  otp: 'OTP',
  'otp.regex': 'Enter the 6-digit code.',
  confirm_password: 'password again',
  'confirm_password.sameAs': 'The passwords do not match.',
}

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

export const signInForm = withMessages(
  vine.create({
    email: email(),
    password: vine.string().minLength(1).maxLength(passwordLength.max),
  })
)

export const addressForm = withMessages(vine.create({ email: email() }))

export const codeForm = withMessages(
  vine.create({
    otp: otp(),
    password: password(),
    confirm_password: vine.string().minLength(1).sameAs('password'),
  }),
  fieldLabels
)

export const otpForm = withMessages(vine.create({ otp: otp() }), fieldLabels)
