import { withMessages } from '#core/validation_messages'
import { MAX_LOGO_BYTES } from '#core/mail/logo'
import vine from '@vinejs/vine'

/** Text of a single line, because a line break could add headers to the email. */
const line = (maxLength: number) =>
  vine
    .string()
    .trim()
    .maxLength(maxLength)
    .regex(/^[^\r\n]*$/)
const kind = () => vine.string().maxLength(100)

export const mailSettingsValidator = withMessages(
  vine.create({
    brand: line(60).minLength(1),
    footer: vine.string().trim().maxLength(500).optional(),
    reply_to: line(254).email().nullable().optional(),
    /** PNG in base64. */
    logo: vine
      .string()
      .maxLength(Math.ceil((MAX_LOGO_BYTES * 4) / 3) + 100)
      .nullable()
      .optional(),
  }),
  { brand: 'name', reply_to: 'reply-to address', 'logo.maxLength': 'The logo is too large.' }
)

export const mailTextValidator = withMessages(
  vine.create({
    kind: kind(),
    subject: line(200).nullable().optional(),
    intro: vine.string().trim().maxLength(1_000).nullable().optional(),
  }),
  { 'subject.regex': 'Enter the subject on one line.', intro: 'first paragraph' }
)

export const mailKindValidator = withMessages(vine.create({ kind: kind() }))
export const mailPreviewValidator = withMessages(
  vine.create({ kind: kind(), scheme: vine.enum(['light', 'dark'] as const).optional() })
)
