import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { looksLikeSsh } from '#git/ssh_remote'
import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

const id = () => recordIdSchema().nullable().optional()
const folder = {
  path: vine.string().nullable().optional(),
  project_id: id(),
  server_instance_id: id(),
}
const branch = vine.string().maxLength(250)
/**
 * Rejects line breaks, because git's credential protocol is line-based. Treats empty fields of the
 * form as missing.
 */
const oneLine = vine
  .string()
  .parse((value) => (value === '' ? undefined : value))
  .minLength(1)
  .maxLength(1_000)
  .regex(/^[^\0-\x1f\x7f]*$/)

const SINGLE_LINE_MESSAGE = 'Enter one line without control characters.'

const labels = {
  repository: 'link of the repository',
  username: 'user name',
  'username.regex': SINGLE_LINE_MESSAGE,
  'password.regex': SINGLE_LINE_MESSAGE,
}

export const folderValidator = withMessages(vine.create({ ...folder }), labels)
export const branchValidator = withMessages(vine.create({ ...folder, branch }), labels)
export const branchUpdateValidator = withMessages(
  vine.create({
    ...folder,
    branch,
    action: vine.enum(['merge', 'pull'] as const),
    keep_conflicts: vine.boolean().optional(),
  }),
  labels
)

const hasHttpsPassword = ({ data }: FieldContext) =>
  Boolean(data.password) && !looksLikeSsh(String(data.repository ?? '').trim())

/** User name and password are optional, because public repositories and SSH addresses need none. */
export const cloneValidator = withMessages(
  vine.create({
    ...folder,
    repository: vine.string().minLength(1),
    username: oneLine.clone().nullable().optional().requiredWhen(hasHttpsPassword),
    password: oneLine.clone().nullable().optional(),
    host_key: vine.string().maxLength(100).nullable().optional(),
    directory: vine.string().nullable().optional(),
  }),
  labels
)

const repository = vine.string().minLength(1)
export const deployKeyValidator = withMessages(vine.create({ ...folder, repository }), labels)
export const newDeployKeyValidator = withMessages(
  vine.create({ ...folder, repository: repository.clone(), replace: vine.boolean().optional() }),
  labels
)

const file = vine.string().minLength(1)
export const conflictValidator = withMessages(vine.create({ ...folder, file }), labels)
export const conflictResolutionValidator = withMessages(
  vine.create({
    ...folder,
    file: file.clone(),
    keep: vine.enum(['ours', 'theirs', 'text'] as const),
    text: vine
      .string()
      .maxLength(2 * 1024 * 1024)
      .optional()
      .requiredWhen('keep', '=', 'text'),
  }),
  labels
)
