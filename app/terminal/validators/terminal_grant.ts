import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

const labels = {
  server_instance_id: 'server instance',
  host_instance_id: 'host instance',
  'host_instance_id.required': 'Choose the host or server instance.',
}

/** `path` is a project's folder, relative to the web root. */
export const customerGrantValidator = withMessages(
  vine.create({
    server_instance_id: recordIdSchema(),
    path: vine.string().optional(),
  }),
  labels
)

export const staffGrantValidator = withMessages(
  vine.create({
    host_instance_id: recordIdSchema().optional().requiredIfMissing('server_instance_id'),
    server_instance_id: recordIdSchema().optional(),
    path: vine.string().optional(),
  }),
  labels
)
