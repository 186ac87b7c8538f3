import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals().nullable().optional()
const folder = {
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

const ONE_LINE = 'This is one line, without control characters.'

const words = {
  repository: 'link of the repository',
  username: 'user name',
  'username.regex': ONE_LINE,
  'password.regex': ONE_LINE,
}

export const detailsValidator = inOurWords(vine.create({ ...folder }), words)
export const branchValidator = inOurWords(vine.create({ ...folder, branch }), words)
export const updateValidator = inOurWords(
  vine.create({
    ...folder,
    branch,
    action: vine.enum(['merge', 'pull'] as const),
  }),
  words
)

/** User name and password are required (product, "Files and git"). */
export const cloneValidator = inOurWords(
  vine.create({
    ...folder,
    repository: vine.string().minLength(1),
    username: oneLine.clone(),
    password: oneLine.clone(),
    directory: vine.string().nullable().optional(),
  }),
  words
)
