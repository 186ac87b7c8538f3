import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { Attachment } from '../accept/message.js'
import { mailErrors } from '../errors.js'
import { MAX_ATTACHMENTS, MAX_FORM_BYTES, MAX_JSON_BYTES, MAX_FORM_FIELDS } from '../limits.js'
import { checkAndMeasureJson } from '../parsing/json_size.js'

export interface ParsedBody {
  fields: Record<string, unknown>
  files: Attachment[]
  /** Size of the body in bytes, without attachments. */
  plainBytes: number
}

/**
 * Reads JSON, a form or a multipart form. Calls `take` with the size of each part that it keeps in memory, and rejects
 * with the error that `take` throws.
 * @throws MailError 415 for any other content type
 */
export async function readBody(
  request: IncomingMessage,
  take: (bytes: number) => void
): Promise<ParsedBody> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'multipart/form-data') return readForm(request, take)
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
    throw mailErrors.wrongType()
  }
  const bytes = await readBytes(request, take)
  if (type === 'application/json') {
    const plainBytes = checkAndMeasureJson(bytes)
    return { fields: fromJson(bytes.toString('utf8')), files: [], plainBytes }
  }
  const fields = fromForm(bytes)
  const attached = Buffer.byteLength(String(fields.attachments ?? ''))
  return { fields, files: [], plainBytes: Math.max(0, bytes.length - attached) }
}

function readBytes(request: IncomingMessage, take: (bytes: number) => void): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_JSON_BYTES) throw mailErrors.longCall()
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((done, failed) => {
    const keep = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > MAX_JSON_BYTES) throw mailErrors.longCall()
        take(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        request.off('data', keep)
        failed(error as Error)
      }
    }
    request.on('data', keep)
    request.on('end', () => done(Buffer.concat(chunks)))
    request.on('error', () => failed(mailErrors.cutShort()))
    request.once('close', () => void (request.complete || failed(mailErrors.cutShort())))
  })
}

function fromJson(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw mailErrors.badRequest('The body is not valid JSON.')
  }
  if (!value || typeof value !== 'object' || Array.isArray(value)) {
    throw mailErrors.badRequest('Send an object with the fields of the message.')
  }
  return value as Record<string, unknown>
}

function fromForm(bytes: Buffer): Record<string, unknown> {
  let count = 1
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at + 1)) {
    if (++count > MAX_FORM_FIELDS) {
      throw mailErrors.invalid(`The form has more than ${MAX_FORM_FIELDS} fields.`)
    }
  }
  const fields: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) add(fields, name, value)
  return fields
}

/** Adds a value to the fields. A repeated name makes a list. The name `tags[]` means `tags`. */
function add(fields: Record<string, unknown>, name: string, value: string): void {
  const plain = name.replace(/\[\]$/, '')
  const before = Object.hasOwn(fields, plain) ? fields[plain] : undefined
  const next = before === undefined ? value : [before, value].flat()
  Object.defineProperty(fields, plain, {
    value: next,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

function readForm(request: IncomingMessage, take: (bytes: number) => void): Promise<ParsedBody> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw mailErrors.longCall()
  const parser = parserOf(request)
  const body: ParsedBody = { fields: {}, files: [], plainBytes: 0 }
  return new Promise((done, failed) => {
    let length = 0
    const fail = (error: unknown) => {
      request.unpipe(parser)
      failed(error)
    }
    const count = (bytes: number) => {
      length += bytes
      if (length > MAX_FORM_BYTES) throw mailErrors.longCall()
      take(bytes)
    }
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) return fail(mailErrors.longCall())
      try {
        count(value.length)
        if (name !== 'attachments') body.plainBytes += value.length
        add(body.fields, name, value)
      } catch (error) {
        fail(error)
      }
    })
    parser.on('file', (_name, part, filename, _encoding, type) => {
      const chunks: Buffer[] = []
      part.on('error', () => {})
      part.on('data', (chunk: Buffer) => {
        try {
          count(chunk.length)
          chunks.push(chunk)
        } catch (error) {
          fail(error)
        }
      })
      part.on('end', () => {
        if (!filename && !chunks.length) return
        const content = Buffer.concat(chunks)
        body.files.push({
          filename: filename ?? '',
          type: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined,
          content,
        })
      })
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => fail(mailErrors.badRequest('The form has too many parts.')))
    }
    parser.on('finish', () => done(body))
    parser.on('error', () =>
      fail(mailErrors.badRequest('The form ends in the middle of its last part.'))
    )
    request.on('error', () => fail(mailErrors.cutShort()))
    request.once('close', () => void (request.complete || fail(mailErrors.cutShort())))
    request.pipe(parser)
  })
}

function parserOf({ headers }: IncomingMessage) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        files: MAX_ATTACHMENTS + 1,
        fields: 100,
        parts: MAX_ATTACHMENTS + 101,
        headerPairs: 50,
        fieldSize: MAX_JSON_BYTES,
        fieldNameSize: 100,
        fileSize: MAX_FORM_BYTES,
      },
    })
  } catch {
    throw mailErrors.badRequest('The form has no boundary between its parts.')
  }
}
