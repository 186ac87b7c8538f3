import { wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

export const MAX_RESULT_ROWS = 1_000
export const MAX_QUERY_SECONDS = 60
/** Longer SQL must be imported as a file. */
const MAX_QUERY_CHARACTERS = 200_000

/**
 * The field is called `sql` for MySQL and `query` for MongoDB. The browser generates `id`, and can cancel the query
 * by it.
 */
const text = () => vine.string().maxLength(MAX_QUERY_CHARACTERS)
const id = () => vine.string().uuid()

export const runQueryValidator = withMessages(
  vine.create({
    id: id().optional(),
    sql: text().minLength(1).optional().requiredIfMissing('query'),
    query: text().minLength(1).optional(),
    write: vine.boolean().optional(),
    limit: wholeNumberSchema().range([1, MAX_RESULT_ROWS]).optional(),
    timeout: wholeNumberSchema().range([1, MAX_QUERY_SECONDS]).optional(),
  }),
  { sql: 'query', limit: 'number of rows', timeout: 'time in seconds' }
)

export const downloadQueryValidator = withMessages(
  vine.create({
    id: id().optional(),
    sql: text().minLength(1).optional().requiredIfMissing('query'),
    query: text().minLength(1).optional(),
    exact: vine.boolean().optional(),
  }),
  { sql: 'query' }
)

export const cancelQueryValidator = withMessages(vine.create({ id: id() }))

export const tableRowsValidator = withMessages(
  vine.create({
    table: vine.string().minLength(1).maxLength(255),
    page: wholeNumberSchema().range([1, 1_000_000]).optional(),
    after: vine.string().maxLength(20_000).optional(),
    limit: wholeNumberSchema().range([1, MAX_RESULT_ROWS]).optional(),
    filter: vine.string().maxLength(MAX_QUERY_CHARACTERS).optional(),
  })
)

export const tableStructureValidator = withMessages(
  vine.create({ table: vine.string().minLength(1).maxLength(255) })
)
