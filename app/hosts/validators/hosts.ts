import { wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
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

const MAX_DISK_OVERCOMMIT = 4

const labels = {
  'name.regex':
    'Use only letters, digits, dots, hyphens and underscores, and begin with a letter or digit.',
  token: 'trust token',
  'token.minLength': 'Paste the whole token. This text is too short for a token.',
  address: 'address',
  'address.regex': 'Enter the address of Incus as name or name:port.',
  ip: 'public IP',
  'ip.regex': 'Enter an IP address or a host name, such as 203.0.113.7.',
  'username.regex':
    'Use only lower-case letters, digits, hyphens and underscores, and begin with a letter.',
  key: 'private key',
  'key.minLength': 'Paste the whole private key. This text is too short for a key.',
  host_key: 'host key',
  disk_overcommit: 'disk overcommit',
  'disk_overcommit.decimal': 'Enter a number with at most two decimals, for example 1.5.',
}

export const newHostValidator = withMessages(
  vine.create({
    name: name.clone(),
    token: vine.string().trim().minLength(20).maxLength(10_000),
    /** `host` or `host:port`. Needed if the addresses in the token are not reachable. */
    address: address.clone().optional(),
    /** Address under which customers reach their instances. Default: the address of the Incus server. */
    ip: address.clone().optional(),
    provider: vine.string().trim().maxLength(100).optional(),
  }),
  labels
)

export const hostUpdateValidator = withMessages(
  vine.create({
    name: name.clone(),
    ip: address.clone(),
    provider: vine.string().trim().maxLength(100).nullable().optional(),
    disk_overcommit: vine.number().range([1, MAX_DISK_OVERCOMMIT]).decimal([0, 2]).optional(),
  }),
  labels
)

export const maintenanceValidator = withMessages(vine.create({ on: vine.boolean() }), {
  on: 'maintenance',
})

export const hostSshValidator = withMessages(
  vine.create({
    username: vine.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/),
    port: wholeNumberSchema().range([1, 65_535]),
    key: vine.string().trim().minLength(100).maxLength(20_000),
    /** Default: the key that the machine presents at the first connection. */
    host_key: vine.string().trim().maxLength(5_000).optional(),
  }),
  labels
)
