import vine from '@vinejs/vine'

/** 3-40 of `a-z 0-9 -` (product, "Machines"). */
export const instanceName = vine
  .string()
  .minLength(3)
  .maxLength(40)
  .regex(/^[a-z0-9-]+$/)

const id = vine.number().withoutDecimals().positive().max(Number.MAX_SAFE_INTEGER)

/** The number of a package's version. */
const version = vine.number().withoutDecimals().positive().max(2_147_483_647)

export const orderValidator = vine.create({
  name: instanceName.clone(),
  instance_type: vine.enum(['regular', 'shared'] as const),
  server_package_id: id.clone(),
  billing_period: vine.enum(['month', 'year'] as const),
  package_version: version.clone().optional(),
})

export const adminDomainListValidator = vine.create({
  domains: vine.array(vine.string().maxLength(300)).maxLength(50),
})

/** The other form of the administrators' update. */
export const adminUpdateValidator = vine.create({
  server_package_id: id.clone(),
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
  ports: vine.record(vine.number().withoutDecimals().range([1, 65_535])).optional(),
})

export const suspensionValidator = vine.create({
  reason: vine.string().trim().minLength(3).maxLength(500),
})

export const resizeValidator = vine.create({
  server_package_id: id.clone(),
  package_version: version.clone().optional(),
})
