import {
  collectionNameProblem,
  filterProblem,
  pipelineProblem,
  throwQueryProblem,
} from '#databases/mongodb/read_only'
import { invalid } from '#core/app_error'
import { BSON, type Document } from 'mongodb'

/**
 * Fields that each read command may have. The field named like the command contains the collection's name, except in
 * `DATABASE_COMMANDS`.
 */
const READ_COMMANDS: Record<string, string[]> = {
  find: [
    'filter',
    'sort',
    'projection',
    'hint',
    'skip',
    'limit',
    'batchSize',
    'singleBatch',
    'collation',
    'let',
    'min',
    'max',
    'allowDiskUse',
  ],
  aggregate: ['pipeline', 'cursor', 'collation', 'let', 'hint', 'allowDiskUse'],
  count: ['query', 'limit', 'skip', 'hint', 'collation'],
  distinct: ['key', 'query', 'collation'],
  listIndexes: ['cursor'],
  listCollections: ['filter', 'nameOnly', 'cursor'],
  collStats: ['scale'],
  dbStats: ['scale'],
}
const WRITE_COMMANDS: Record<string, string[]> = {
  insert: ['documents', 'ordered'],
  update: ['updates', 'ordered', 'let'],
  delete: ['deletes', 'ordered', 'let'],
  findAndModify: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'arrayFilters',
    'collation',
    'hint',
    'let',
  ],
  create: [
    'capped',
    'size',
    'max',
    'validator',
    'validationLevel',
    'validationAction',
    'collation',
  ],
  drop: [],
  createIndexes: ['indexes'],
  dropIndexes: ['index'],
  collMod: ['index', 'validator', 'validationLevel', 'validationAction'],
}
const DATABASE_COMMANDS = new Set(['listCollections', 'dbStats'])
const CURSOR_COMMANDS = new Set(['find', 'aggregate', 'listIndexes', 'listCollections'])

const EXAMPLE_COMMAND = '{ "find": "orders", "filter": { "total": { "$gt": 10 } }, "limit": 20 }'

export interface ParsedCommand {
  /** The command's name is the first key, as MongoDB requires. */
  command: Document
  name: string
  byCursor: boolean
  changes: boolean
}

/**
 * Parses a command such as `find` or `aggregate` from (extended) JSON.
 * @throws 422 at `query` if the command is not allowed, reads another database, runs code on the server, or changes
 * data without `write`
 */
export function parseCommand(text: string, write: boolean): ParsedCommand {
  const { command, sent } = parse(text)
  const [name = ''] = Object.keys(command)
  const isLooking = Object.hasOwn(READ_COMMANDS, name)
  const changes = Object.hasOwn(WRITE_COMMANDS, name)
  if (!isLooking && !changes) {
    throwQueryProblem(
      `${name.slice(0, 40) || 'This'} is not one of the allowed commands: ${Object.keys(write ? { ...READ_COMMANDS, ...WRITE_COMMANDS } : READ_COMMANDS).join(', ')}. Begin with a command, such as ${EXAMPLE_COMMAND}.`
    )
  }
  if (changes && !write) {
    throwQueryProblem(
      `${name} changes the database. Nothing was run. Turn off Read-only to run it.`
    )
  }
  const known = (isLooking ? READ_COMMANDS : WRITE_COMMANDS)[name]
  const strange = Object.keys(command).find((key) => key !== name && !known.includes(key))
  if (strange) throwQueryProblem(`${name} does not accept the field ${strange.slice(0, 40)}.`)
  if (!DATABASE_COMMANDS.has(name)) throwQueryProblem(collectionNameProblem(command[name]))
  if (name === 'aggregate') throwQueryProblem(pipelineProblem(sent.pipeline))
  // Many fields can contain an expression: `let`, `hint`, `sort`, `collation`, a validator. So all are checked.
  throwQueryProblem(filterProblem(sent))
  return { command, name, byCursor: CURSOR_COMMANDS.has(name), changes }
}

/**
 * Returns the parsed command (`command`), and the command as the server will decode it (`sent`). They can differ: for
 * example, a symbol becomes a string.
 */
function parse(text: string): Record<'command' | 'sent', Document> {
  let parsed: unknown
  let sent: Document = {}
  try {
    parsed = BSON.EJSON.parse(text)
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) {
      sent = BSON.deserialize(BSON.serialize(parsed))
    }
  } catch (error) {
    throw invalid({
      query: `The query is not valid JSON (${(error as Error).message.slice(0, 200)}). Write a command, such as ${EXAMPLE_COMMAND}. Nothing was run.`,
    })
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw invalid({ query: `Write a command, such as ${EXAMPLE_COMMAND}. Nothing was run.` })
  }
  return { command: parsed, sent }
}
