import { invalid } from '#core/app_error'
import { invalidImportFile } from '#databases/mongodb/transfer/zip'
import { Code, DBRef, type Document } from 'mongodb'

/** Pipeline stages that only read, and only from the same database. */
const READ_ONLY_STAGES = new Set(
  (
    '$addFields $bucket $bucketAuto $collStats $count $densify $facet $fill $geoNear $graphLookup $group ' +
    '$indexStats $limit $lookup $match $project $redact $replaceRoot $replaceWith $sample $set ' +
    '$setWindowFields $skip $sort $sortByCount $unionWith $unset $unwind'
  ).split(' ')
)
/** Operators that write or run JavaScript on the server. Rejected at any depth. */
const FORBIDDEN_OPERATORS = ['$where', '$function', '$accumulator', '$out', '$merge']

export function pipelineProblem(pipeline: unknown): string | null {
  if (!Array.isArray(pipeline)) return 'A pipeline must be a list of stages.'
  for (const stage of pipeline as unknown[]) {
    const keys = isDocument(stage) ? Object.keys(stage) : []
    if (keys.length !== 1)
      return 'Each stage of a pipeline must be a document with exactly one field.'
    const [key] = keys
    if (!READ_ONLY_STAGES.has(key)) return `The stage ${key.slice(0, 40)} is not allowed here.`
    const fault = stageProblem(key, (stage as Document)[key])
    if (fault) return fault
  }
  return filterProblem(pipeline)
}

function stageProblem(key: string, value: unknown): string | null {
  if (key === '$facet') {
    if (!isDocument(value)) return 'The stage $facet must be a document of pipelines.'
    return Object.values(value).map(pipelineProblem).find(Boolean) ?? null
  }
  if (key === '$lookup' || key === '$graphLookup' || key === '$unionWith') {
    if (key === '$unionWith' && typeof value === 'string') return collectionNameProblem(value)
    if (!isDocument(value)) return `The stage ${key} must be a document.`
    const from = (key === '$unionWith' ? value.coll : value.from) as unknown
    // `from: { db, coll }` would read another database. A stage without `from` reads `$documents`.
    if (typeof from !== 'string') return `The stage ${key} must name a collection of this database.`
    const inner = value.pipeline === undefined ? null : pipelineProblem(value.pipeline)
    return collectionNameProblem(from) ?? inner
  }
  return null
}

/** Checks all nested values. */
export function filterProblem(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(filterProblem).find(Boolean) ?? null
  // `Code` is JavaScript, and a DBRef can name another database.
  if (value instanceof Code) return 'JavaScript is not allowed here.'
  if (value instanceof DBRef) return filterProblem([value.oid, value.fields])
  if (!isDocument(value)) return null
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN_OPERATORS.includes(key)) return `${key} is not allowed here.`
    const fault = filterProblem(inner)
    if (fault) return fault
  }
  return null
}

export function collectionNameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'Enter the name of a collection.'
  if (name.includes('\0') || name.includes('$') || name.startsWith('system.')) {
    return `The collection ${name.slice(0, 60)} belongs to the database server.`
  }
  return null
}

function isDocument(value: unknown): value is Document {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** @throws 422 at `file` if a view from a dump would read another database or run code */
export function assertViewStaysInside(name: string, { viewOn, pipeline = [] }: Document): void {
  const fault = collectionNameProblem(viewOn) ?? pipelineProblem(pipeline)
  if (fault) throw invalidImportFile(`The view ${name.slice(0, 60)} cannot be created: ${fault}`)
}

/** @throws 422 at `file` if options or indexes of a collection in a dump would run code on the server */
export function assertRunsNoCode(name: string, value: unknown): void {
  const fault = filterProblem(value)
  if (fault)
    throw invalidImportFile(`The collection ${name.slice(0, 60)} cannot be created: ${fault}`)
}

export function throwQueryProblem(fault: string | null): void {
  if (fault) throw invalid({ query: `${fault} Nothing was run.` })
}
