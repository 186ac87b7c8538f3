import vine from '@vinejs/vine'

const name = vine
  .string()
  .trim()
  .minLength(2)
  .maxLength(63)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)

const address = vine
  .string()
  .trim()
  .maxLength(253)
  .regex(/^[A-Za-z0-9.:_-]+$/)

export const newHostValidator = vine.create({
  name: name.clone(),
  token: vine.string().trim().minLength(20).maxLength(10_000),
  /** `host` or `host:port` of its Incus, for tokens whose addresses are not reachable. */
  address: address.clone().optional(),
  /** The address that customers connect to; the one of its Incus unless told. */
  ip: address.clone().optional(),
  provider: vine.string().trim().maxLength(100).optional(),
})

export const hostUpdateValidator = vine.create({
  name: name.clone(),
  ip: address.clone(),
  provider: vine.string().trim().maxLength(100).nullable().optional(),
})

export const maintenanceValidator = vine.create({ on: vine.boolean() })

export const hostKeyValidator = vine.create({
  username: vine.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/),
  port: vine.number().withoutDecimals().range([1, 65_535]),
  key: vine.string().trim().minLength(100).maxLength(20_000),
  /** Pinned as it is; read from the machine where none is given. */
  host_key: vine.string().trim().maxLength(5_000).optional(),
})
