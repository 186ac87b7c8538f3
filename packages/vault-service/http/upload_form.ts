import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { vaultErrors, VaultError } from '../errors.js'
import { readChunks } from '../store/byte_source.js'

const FORM_FIELDS = ['folder', 'filename', 'cache', 'checksum'] as const

export type UploadFormFields = Partial<Record<(typeof FORM_FIELDS)[number], string>>

export interface FormRules {
  /** Returns whether the form may contain a field of this name. Unknown fields without a filename are ignored. */
  isField(name: string): boolean
  maxFields: number
  maxFieldBytes: number
}

const uploadFormRules: FormRules = {
  isField: (name) => FORM_FIELDS.some((one) => one === name),
  maxFields: 20,
  maxFieldBytes: 8192,
}

/** A form with one file. It is parsed while it arrives. Fields may come before and after the file. */
export interface UploadForm {
  /** File name from the client, without its folders. Empty if the client sent no name. */
  filename: string
  file: AsyncIterable<Buffer>
  before: Record<string, string>
  /** All fields. The promise resolves at the end of the form, so read the file first. */
  fields: Promise<Record<string, string>>
}

/**
 * Parses `multipart/form-data` up to the beginning of its file.
 * @throws VaultError `bad_request` or `cut_short`
 */
export async function readForm(
  request: IncomingMessage,
  rules = uploadFormRules
): Promise<UploadForm> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw vaultErrors.badRequest('Send multipart/form-data with the file in the field "file".')
  }
  const parser = parserOf(request, rules)
  const fields = emptyFields()
  const {
    promise: file,
    resolve,
    reject,
  } = Promise.withResolvers<[BusboyFileStream, string, Record<string, string>]>()
  const ended = Promise.withResolvers<Record<string, string>>()
  // Prevents unhandled rejections, because these promises are awaited only if parsing reaches that point.
  for (const { promise } of [ended, { promise: file }]) promise.catch(() => {})

  let stream: BusboyFileStream | undefined
  let hasOtherField = false
  const fail = (error: Error) => {
    request.unpipe(parser)
    reject(error)
    ended.reject(error)
    stream?.destroy(error)
  }
  parser.on('field', (name, value, nameCut, valueCut) => {
    const isKnown = rules.isField(name)
    hasOtherField ||= !isKnown
    if (!isKnown) return
    if (valueCut || nameCut) return fail(vaultErrors.badRequest(`The field "${name}" is too long.`))
    fields[name] = value
  })
  parser.on('file', (name, part, filename) => {
    // An error in the file is handled where the file is read. Without this listener, it would end the process.
    part.on('error', () => {})
    if (name !== 'file') return fail(wrongField())
    stream = part
    resolve([part, filename, Object.assign(emptyFields(), fields)])
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () => fail(vaultErrors.badRequest('The form has too many parts.')))
  }
  parser.on('finish', () => {
    if (!stream)
      // The parser reports a part without a filename as a field. So a field of another name may be the file.
      reject(hasOtherField ? wrongField() : vaultErrors.badRequest('The form has no field "file".'))
    ended.resolve(fields)
  })
  parser.on('error', (error) => fail(cutShort(error)))
  request.on('error', () => {})
  request.once('close', () => void (request.complete || fail(vaultErrors.cutShort())))
  request.pipe(parser)

  const [fileStream, filename, before] = await file
  return { file: bytesOf(fileStream), filename: filename ?? '', before, fields: ended.promise }
}

/** Returns an object without a prototype, so that a field may have any name, such as `__proto__`. */
function emptyFields(): Record<string, string> {
  return Object.create(null) as Record<string, string>
}

function wrongField(): VaultError {
  return vaultErrors.badRequest('The file belongs in the field "file".')
}

async function* bytesOf(file: BusboyFileStream): AsyncIterable<Buffer> {
  try {
    yield* readChunks(file)
  } catch (error) {
    throw error instanceof VaultError ? error : cutShort(error)
  }
}

function parserOf({ headers }: IncomingMessage, rules: FormRules) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      fileHwm: 262_144,
      isPartAFile: (name, _contentType, filename) => isPartAFile(rules, name, filename),
      limits: {
        files: 1,
        fields: rules.maxFields,
        parts: rules.maxFields + 1,
        fieldSize: rules.maxFieldBytes,
        fieldNameSize: 100,
        headerPairs: 50,
      },
    })
  } catch {
    throw vaultErrors.badRequest('The form has no boundary between its parts.')
  }
}

/**
 * Returns whether a part of the form is a file. A known field is not a file, and the part `file` is one, because some
 * programs send text fields as `application/octet-stream` or with a filename, and files without a filename. Other parts
 * are files if they have a filename.
 */
function isPartAFile(
  { isField }: FormRules,
  name: string | undefined,
  filename: string | undefined
): boolean {
  if (name !== undefined && isField(name)) return false
  return name === 'file' || filename !== undefined
}

/** Replaces the error messages of the form parser, which are written for programmers. */
function cutShort(error: unknown): Error {
  const isCut = error instanceof Error && /unexpected end|terminated early/i.test(error.message)
  return isCut
    ? vaultErrors.cutShort('The form ends in the middle of its last part.')
    : vaultErrors.badRequest()
}
