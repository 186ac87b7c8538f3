import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import {
  emailSchema,
  singleLineSchema,
  jobTitleSchema,
  passwordSchema,
  fieldLabels,
} from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

export const profileValidator = withMessages(
  vine.create({
    name: singleLineSchema(100),
    title: jobTitleSchema(),
    color_scheme: vine.enum(['auto', 'light', 'dark']).optional(),
    default_instance_id: recordIdSchema().optional().nullable(),
  }),
  { default_instance_id: 'instance', color_scheme: 'theme' }
)

export const emailChangeValidator = withMessages(
  vine.create({
    email: emailSchema(),
    current_password: vine.string().maxLength(200).optional(),
  })
)

export const passwordChangeValidator = withMessages(
  vine.create({
    current_password: vine.string().maxLength(200).optional(),
    password: passwordSchema(),
    confirm_password: vine.string().minLength(1).sameAs('password'),
  }),
  fieldLabels
)

export const deviceIdValidator = withMessages(vine.create({ id: vine.string().uuid() }), {
  id: 'browser',
})
