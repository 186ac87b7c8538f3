import { recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { MAX_OBJECTS_PER_CALL } from '#vault/limits'
import vine from '@vinejs/vine'

/** Removes leading and trailing slashes, because the control API of the vault service rejects names with them. */
const bare = (text: string) => text.replace(/^\/+|\/+$/g, '')
const path = () => vine.string().maxLength(1_024).transform(bare)
const objectName = () => vine.string().minLength(1).maxLength(1_024).transform(bare)
const part = () =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(1_024)
    .regex(/^(?!\.{1,2}$)[^/]+$/)

const partMessages = {
  'name.regex': 'Enter a name without a slash. The names "." and ".." are not allowed.',
}

/** Vault names follow the same rules as instance names (docs/product.md, "Machines"). */
export const createVaultValidator = withMessages(
  vine.create({
    name: vine
      .string()
      .minLength(3)
      .maxLength(40)
      .regex(/^[a-z0-9-]+$/),
  }),
  { 'name.regex': 'Use only lower-case letters, digits and hyphens.' }
)

export const suspensionValidator = withMessages(
  vine.create({ reason: vine.string().trim().minLength(3).maxLength(500) })
)

export const moveVaultValidator = withMessages(
  vine.create({ store: vine.enum(['folder', 'bucket'] as const) })
)

export const createFolderValidator = withMessages(
  vine.create({ type: vine.enum(['folder'] as const), name: part(), path: path().optional() }),
  partMessages
)

export const deleteObjectValidator = withMessages(
  vine.create({ type: vine.enum(['folder', 'file'] as const), path: objectName() })
)

export const bulkDeleteValidator = withMessages(
  vine.create({
    files: vine.array(objectName()).maxLength(MAX_OBJECTS_PER_CALL).optional(),
    folders: vine.array(objectName()).maxLength(100).optional(),
  })
)

export const uploadValidator = withMessages(
  vine.create({
    name: part(),
    path: path().optional(),
    size: wholeNumberSchema().min(0).max(Number.MAX_SAFE_INTEGER),
    overwrite: vine.boolean().optional(),
  }),
  partMessages
)

export const shareLinkValidator = withMessages(
  vine.create({
    name: objectName(),
    expires: vine.number().in([3_600, 86_400, 604_800]),
  }),
  { 'expires.in': 'Choose how long the link works: one hour, one day or seven days.' }
)

export const objectListValidator = withMessages(
  vine.create({
    path: path().optional(),
    search: vine.string().maxLength(1_024).optional(),
    after: vine.string().maxLength(2_048).optional(),
  })
)

export const objectNameValidator = withMessages(
  vine.create({ name: objectName(), download: vine.boolean().optional() })
)

const overlap = () => vine.number().in([0, 3_600, 86_400])

const overlapMessages = {
  'overlap.in': 'Choose when the old secret key expires: now, in an hour or in a day.',
}

export const secretRotationValidator = withMessages(
  vine.create({ overlap: overlap() }),
  overlapMessages
)
export const accessKeyValidator = withMessages(
  vine.create({ name: vine.string().trim().minLength(1).maxLength(60), read_only: vine.boolean() })
)
export const accessKeyIdValidator = withMessages(vine.create({ key_id: recordIdSchema() }))
export const accessKeyRotationValidator = withMessages(
  vine.create({ key_id: recordIdSchema(), overlap: overlap() }),
  overlapMessages
)
export const uploadIdValidator = withMessages(
  vine.create({ upload_id: vine.string().maxLength(200) })
)

const origin = () =>
  vine
    .string()
    .trim()
    .maxLength(300)
    .regex(/^(\*|https?:\/\/(?![^*]*\*[^*]*\*)[^\s/?#@]+)$/)
const header = () =>
  vine
    .string()
    .trim()
    .maxLength(100)
    .regex(/^(\*|[!#$%&'*+.^_`|~a-z0-9-]+)$/i)
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

export const vaultSettingsValidator = withMessages(
  vine.create({
    is_private: vine.boolean().optional(),
    /** In USD. An empty text or null removes the limit. */
    monthly_limit: vine
      .string()
      .trim()
      .regex(/^\d{1,7}(\.\d{1,2})?$/)
      .nullable()
      .optional(),
    cors: vine
      .array(
        vine.object({
          origins: vine.array(origin()).minLength(1).maxLength(20),
          methods: vine.array(vine.enum(methods)).minLength(1).distinct(),
          headers: vine.array(header()).maxLength(50),
          exposed: vine.array(header()).maxLength(50),
          max_age: wholeNumberSchema().range([0, 86_400]),
        })
      )
      .maxLength(20)
      .optional(),
  }),
  {
    'monthly_limit.regex': 'Enter an amount in dollars, such as 5 or 12.50.',
    'cors.*.origins.*.regex':
      'Enter * or an origin that begins with https:// or http://, has no path and at most one *.',
    'cors.*.headers.*.regex': 'Enter * or the name of a header, such as Content-Type.',
    'cors.*.exposed.*.regex': 'Enter * or the name of a header, such as Content-Type.',
  }
)
