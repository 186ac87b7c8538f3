import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals().nullable().optional()
const place = {
  path: vine.string().nullable().optional(),
  project_id: id(),
  server_instance_id: id(),
}
const branch = vine.string().maxLength(250)
/** The credential protocol of git is lines. */
const oneLine = vine
  .string()
  .minLength(1)
  .maxLength(1_000)
  .regex(/^[^\0-\x1f\x7f]*$/)

export const detailsValidator = vine.create({ ...place })
export const branchValidator = vine.create({ ...place, branch })
export const updateValidator = vine.create({
  ...place,
  branch,
  action: vine.enum(['merge', 'pull'] as const),
})

/** User name and password are required (product, "Files and git"). */
export const cloneValidator = vine.create({
  ...place,
  repository: vine.string().minLength(1),
  username: oneLine.clone(),
  password: oneLine.clone(),
  directory: vine.string().nullable().optional(),
})
