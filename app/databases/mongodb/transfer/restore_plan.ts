import {
  TIME_SERIES_BUCKETS_PREFIX,
  collectionOfDumpFile,
  DOCUMENTS_EXTENSION,
  METADATA_EXTENSION,
  PRELUDE_FILE,
} from '#databases/mongodb/transfer/mongodump_layout'
import { fromExtendedJson } from '#databases/mongodb/transfer/raw_insert'
import { invalidImportFile, type OpenedZip, type ZippedFile } from '#databases/mongodb/transfer/zip'
import { assertRunsNoCode, assertViewStaysInside } from '#databases/mongodb/read_only'
import { IMPORT_COLLECTION_PREFIX } from '#databases/mongodb/names'
import type { Document } from 'mongodb'

export interface RestorableCollection {
  name: string
  options: Document
  indexes: Document[]
  /** BSON file with the documents. Null: the collection was empty. */
  documents: ZippedFile | null
  size: number
}

/** Collections and views that a restore creates. `notes`: sentences about the parts of the dump that it skips. */
export interface RestorePlan {
  collections: RestorableCollection[]
  views: { name: string; options: Document }[]
  notes: string[]
}

/** Collection options that a restore applies. All others are specific to the source server. */
const COLLECTION_OPTIONS = new Set([
  'capped',
  'size',
  'max',
  'collation',
  'validator',
  'validationLevel',
  'validationAction',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
])
const IGNORED_OPTIONS = new Set(['uuid', 'idIndex', 'autoIndexId', 'flags', 'recordIdsReplicated'])
const VIEW_OPTIONS = new Set(['viewOn', 'pipeline', 'collation'])
/** Index options of the source server, which a restore omits. */
const SOURCE_INDEX_OPTIONS = new Set(['ns', 'v', 'background'])
/** Limit, because parsed metadata takes up to forty times as much memory. */
const MAX_METADATA_BYTES = 1024 * 1024
const MAX_TOTAL_METADATA_BYTES = 4 * 1024 * 1024

/**
 * Reads the dump, which may be in any folder of the archive.
 * @throws 422 at `file` if the archive contains no dump or several databases, or if a part cannot be restored
 */
export async function readRestorePlan({ files }: OpenedZip): Promise<RestorePlan> {
  const filesByCollection = new Map<string, { documents?: ZippedFile; metadata?: ZippedFile }>()
  const folders = new Set<string>()
  const notes: string[] = []
  let users = false
  let metadataBytes = 0
  for (const file of files) {
    const at = file.path.lastIndexOf('/')
    const [folder, name] = [file.path.slice(0, at + 1), file.path.slice(at + 1)]
    if (name === PRELUDE_FILE || isLitter(file.path)) continue
    if (/\.(bson|json)\.gz$/.test(name)) {
      throw invalidImportFile(
        'The dump was made with --gzip. Make it again without --gzip; the zip file compresses it anyway.'
      )
    }
    const end = [METADATA_EXTENSION, DOCUMENTS_EXTENSION].find((each) => name.endsWith(each))
    if (!end) {
      notes.push(`${file.path.slice(0, 120)} is not part of a dump and was skipped.`)
      continue
    }
    const base = name.slice(0, -end.length)
    if (collectionOfDumpFile(base).startsWith('$admin.system.')) {
      users = true
      continue
    }
    if (base === 'oplog' && at < 0) {
      notes.push('The oplog of the dump was skipped.')
      continue
    }
    folders.add(folder)
    const pair = filesByCollection.get(`${folder}${base}`) ?? {}
    const kind = end === METADATA_EXTENSION ? 'metadata' : 'documents'
    if (kind === 'metadata') metadataBytes += file.size
    if (metadataBytes > MAX_TOTAL_METADATA_BYTES) {
      throw invalidImportFile(
        'The metadata files of the dump are larger than 4 MB together. Restore it with mongorestore.'
      )
    }
    if (pair[kind]) throw invalidImportFile(`The archive contains ${name} twice.`)
    filesByCollection.set(`${folder}${base}`, { ...pair, [kind]: file })
  }
  if (folders.size > 1) {
    const names = [...folders].slice(0, 5).map((each) => each.replace(/\/$/, '') || '(no folder)')
    throw invalidImportFile(
      `The dump contains several databases (${names.join(', ')}). Make a zip file with only one of them.`
    )
  }
  const plan: RestorePlan = { collections: [], views: [], notes }
  const series = new Set<string>()
  for (const [key, pair] of [...filesByCollection].sort(([one], [other]) =>
    one < other ? -1 : 1
  )) {
    await take(plan, series, collectionOfDumpFile(key.slice(key.lastIndexOf('/') + 1)), pair)
  }
  for (const name of series) {
    notes.push(`The time series ${name} was skipped. Restore it with mongorestore.`)
  }
  if (plan.collections.length + plan.views.length === 0) {
    const notesText = ['The archive contains no collection that mongodump exported.', ...notes]
    throw invalidImportFile(notesText.slice(0, 10).join(' '))
  }
  notes.push(
    users
      ? 'The users in the dump were skipped. The users of this database are unchanged.'
      : 'A dump does not contain users. The users of this database are unchanged.'
  )
  return plan
}

const isLitter = (path: string) => /(^|\/)(__MACOSX\/|\._|\.DS_Store$)/.test(path)

async function take(
  plan: RestorePlan,
  series: Set<string>,
  guessed: string,
  { documents, metadata }: { documents?: ZippedFile; metadata?: ZippedFile }
): Promise<void> {
  if (guessed.startsWith(TIME_SERIES_BUCKETS_PREFIX)) {
    series.add(guessed.slice(TIME_SERIES_BUCKETS_PREFIX.length))
    return
  }
  const details = metadata ? await readMetadata(metadata) : {}
  const name = typeof details.collectionName === 'string' ? details.collectionName : guessed
  const options = documentOf(details.options)
  if (details.type === 'timeseries' || options.timeseries) {
    series.add(name)
    return
  }
  if (name !== 'system.js') assertName(name)
  if (name === 'system.js') {
    plan.notes.push('Functions stored on the server (system.js) were skipped.')
    return
  }
  if (details.type === 'view' || options.viewOn) {
    const view = pickFields(options, VIEW_OPTIONS)
    noteLost(plan, name, options, VIEW_OPTIONS)
    assertViewStaysInside(name, view)
    plan.views.push({ name, options: view })
    return
  }
  const allowed = pickFields(options, COLLECTION_OPTIONS)
  assertRunsNoCode(name, [allowed, details.indexes])
  noteLost(plan, name, options, COLLECTION_OPTIONS)
  plan.collections.push({
    name,
    options: allowed,
    indexes: indexesOf(details.indexes),
    documents: documents ?? null,
    size: documents?.size ?? 0,
  })
}

function noteLost(plan: RestorePlan, name: string, options: Document, allowed: Set<string>): void {
  const lost = Object.keys(options).filter((key) => !allowed.has(key) && !IGNORED_OPTIONS.has(key))
  if (lost.length === 0) return
  plan.notes.push(`Skipped options of ${name}: ${lost.join(', ').slice(0, 200)}.`)
}

function assertName(name: string): void {
  const bad =
    name === '' ||
    name.includes('\0') ||
    name.includes('$') ||
    name.startsWith('.') ||
    name.startsWith('system.') ||
    name.startsWith(IMPORT_COLLECTION_PREFIX) ||
    Buffer.byteLength(name) > 190
  if (bad)
    throw invalidImportFile(
      `The dump contains a collection that cannot be created: ${name.slice(0, 100)}.`
    )
}

function indexesOf(value: unknown): Document[] {
  if (!Array.isArray(value)) return []
  return value
    .map(documentOf)
    .filter((index) => !isOwnIndex(index))
    .map((index) =>
      Object.fromEntries(Object.entries(index).filter(([key]) => !SOURCE_INDEX_OPTIONS.has(key)))
    )
}

/**
 * Returns whether the server itself creates this index with the collection. That is never a hashed or descending
 * index on `_id`.
 */
function isOwnIndex({ name, clustered, key }: Document): boolean {
  const fields = Object.entries(documentOf(key))
  const isPlain = fields.length === 1 && fields[0][0] === '_id' && Number(fields[0][1]) === 1
  return name === '_id_' || clustered === true || isPlain
}

function pickFields(document: Document, wanted: Set<string>): Document {
  return Object.fromEntries(Object.entries(document).filter(([key]) => wanted.has(key)))
}

function documentOf(value: unknown): Document {
  return value && typeof value === 'object' && !Array.isArray(value) ? (value as Document) : {}
}

async function readMetadata(file: ZippedFile): Promise<Document> {
  if (file.size > MAX_METADATA_BYTES) {
    throw invalidImportFile(
      `${file.path.slice(0, 120)} is larger than 1 MB. Restore this dump with mongorestore.`
    )
  }
  const stream = await file.read()
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  try {
    return documentOf(fromExtendedJson(Buffer.concat(parts).toString('utf8')))
  } catch {
    throw invalidImportFile(`${file.path} cannot be read.`)
  }
}
