import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

/** Rows that one answer can have. */
export const MOST_ROWS = 1_000
/** Seconds that a query can be allowed. */
export const LONGEST = 60
/** Characters of a query; what is longer is imported. */
const LONGEST_TEXT = 200_000

/** `sql` for MySQL, `query` for MongoDB; what the browser made up as its id, to cancel it by. */
const text = () => vine.string().maxLength(LONGEST_TEXT)
const id = () => vine.string().uuid()

export const runQuery = inOurWords(
  vine.create({
    id: id().optional(),
    sql: text().minLength(1).optional().requiredIfMissing('query'),
    query: text().minLength(1).optional(),
    write: vine.boolean().optional(),
    limit: vine.number().withoutDecimals().range([1, MOST_ROWS]).optional(),
    timeout: vine.number().withoutDecimals().range([1, LONGEST]).optional(),
  }),
  { sql: 'query', limit: 'number of rows', timeout: 'time in seconds' }
)

export const downloadQuery = inOurWords(
  vine.create({
    id: id().optional(),
    sql: text().minLength(1).optional().requiredIfMissing('query'),
    query: text().minLength(1).optional(),
    exact: vine.boolean().optional(),
  }),
  { sql: 'query' }
)

export const cancelQuery = inOurWords(vine.create({ id: id() }))

export const readRows = inOurWords(
  vine.create({
    table: vine.string().minLength(1).maxLength(255),
    page: vine.number().withoutDecimals().range([1, 1_000_000]).optional(),
    after: vine.string().maxLength(20_000).optional(),
    limit: vine.number().withoutDecimals().range([1, MOST_ROWS]).optional(),
    filter: vine.string().maxLength(LONGEST_TEXT).optional(),
  })
)

export const readStructure = inOurWords(
  vine.create({ table: vine.string().minLength(1).maxLength(255) })
)
