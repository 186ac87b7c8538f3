import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** The minimum comes from the specification. The maximum limits the time that hashing takes. */
export const passwordLength = { min: 10, max: 200 }

export const fieldLabels = {
  otp: 'OTP',
  'otp.regex': 'Enter the 6-digit code.',
  confirm_password: 'password again',
  'confirm_password.sameAs': 'The passwords do not match.',
}

export const emailSchema = () =>
  vine
    .string()
    .trim()
    .toLowerCase()
    .maxLength(254)
    .email()
    .regex(/^[^\s<>"]+$/)

export const passwordSchema = () =>
  vine.string().minLength(passwordLength.min).maxLength(passwordLength.max)
export const otpSchema = () =>
  vine
    .string()
    .trim()
    .regex(/^\d{6}$/)
/** Text of one line, without control characters. */
export const singleLineSchema = (max: number) =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(max)
    .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u)

/** Job title, which pages show below the name. An empty title becomes `null`. */
export const jobTitleSchema = () =>
  vine
    .string()
    .trim()
    .maxLength(100)
    .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u)
    .transform((text) => text || null)
    .optional()
    .nullable()

export const signInValidator = withMessages(
  vine.create({
    email: emailSchema(),
    password: vine.string().minLength(1).maxLength(passwordLength.max),
  })
)

export const emailValidator = withMessages(vine.create({ email: emailSchema() }))

export const otpAndPasswordValidator = withMessages(
  vine.create({
    otp: otpSchema(),
    password: passwordSchema(),
    confirm_password: vine.string().minLength(1).sameAs('password'),
  }),
  fieldLabels
)

export const otpValidator = withMessages(vine.create({ otp: otpSchema() }), fieldLabels)
