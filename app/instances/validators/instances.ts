import { recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** 3 to 40 of `a-z 0-9 -` (docs/product.md, "Machines"). */
export const instanceNameSchema = vine
  .string()
  .minLength(3)
  .maxLength(40)
  .regex(/^[a-z0-9-]+$/)

const labels = {
  'name.regex': 'Use only lower-case letters, digits and hyphens.',
  server_package_id: 'package',
  package_version: 'version of the package',
  ip: 'IP',
  'username.regex':
    'Start with a letter. Use only lower-case letters, digits, hyphens and underscores.',
  'system_id.regex': 'Start with a letter. Use 2 to 63 letters, digits and hyphens.',
  ports: 'ports',
  'ports.*': 'port',
}

const version = wholeNumberSchema().positive().max(2_147_483_647)

export const orderValidator = withMessages(
  vine.create({
    name: instanceNameSchema.clone(),
    instance_type: vine.enum(['regular', 'shared'] as const),
    server_package_id: recordIdSchema(),
    billing_period: vine.enum(['month', 'year'] as const),
    package_version: version.clone().optional(),
  }),
  labels
)

export const adminUpdateDomainsValidator = withMessages(
  vine.create({
    domains: vine.array(vine.string().maxLength(300)).maxLength(50),
  }),
  labels
)

export const adminUpdateValidator = withMessages(
  vine.create({
    server_package_id: recordIdSchema(),
    package_version: version.clone().optional(),
    ip: vine.string().trim().ipAddress(),
    username: vine
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/)
      .nullable()
      .optional(),
    system_id: vine
      .string()
      .regex(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/i)
      .optional(),
    ports: vine.record(wholeNumberSchema().range([1, 65_535])).optional(),
  }),
  labels
)

export const suspensionValidator = withMessages(
  vine.create({
    reason: vine.string().trim().minLength(3).maxLength(500),
  })
)

export const resizeValidator = withMessages(
  vine.create({ server_package_id: recordIdSchema(), package_version: version.clone().optional() }),
  labels
)
