import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals()

const words = {
  server_instance_id: 'server instance',
  host_instance_id: 'host instance',
  'host_instance_id.required': 'Choose the machine.',
}

/** `path` is a project's, relative to the web root. */
export const customerGrant = inOurWords(
  vine.create({
    server_instance_id: id(),
    path: vine.string().optional(),
  }),
  words
)

/** One of the two machines. */
export const staffGrant = inOurWords(
  vine.create({
    host_instance_id: id().optional().requiredIfMissing('server_instance_id'),
    server_instance_id: id().optional(),
    path: vine.string().optional(),
  }),
  words
)
