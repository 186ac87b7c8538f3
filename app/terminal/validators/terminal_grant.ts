import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals()

/** `path` is a project's, relative to the web root. */
export const customerGrant = vine.create({
  server_instance_id: id(),
  path: vine.string().optional(),
})

/** One of the two machines. */
export const staffGrant = vine.create({
  host_instance_id: id().optional().requiredIfMissing('server_instance_id'),
  server_instance_id: id().optional(),
  path: vine.string().optional(),
})
