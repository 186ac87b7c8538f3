import { withMessages } from '#core/validation_messages'
import { email, line, title, password, fieldLabels } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

export const profileForm = withMessages(
  vine.create({
    name: line(100),
    title: title(),
    color_scheme: vine.enum(['auto', 'light', 'dark']).optional(),
    default_instance_id: vine.number().positive().withoutDecimals().optional().nullable(),
  }),
  { default_instance_id: 'instance', color_scheme: 'theme' }
)

export const addressChangeForm = withMessages(
  vine.create({
    email: email(),
    current_password: vine.string().maxLength(200).optional(),
  })
)

export const passwordChangeForm = withMessages(
  vine.create({
    current_password: vine.string().maxLength(200).optional(),
    password: password(),
    confirm_password: vine.string().minLength(1).sameAs('password'),
  }),
  fieldLabels
)

export const deviceForm = withMessages(vine.create({ id: vine.string().uuid() }), { id: 'browser' })
