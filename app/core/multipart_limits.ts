import { bodyTooLarge } from '#core/body_too_large'
import { invalid } from '#core/app_error'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'

/** Limit for all headers of one part together. A percent-encoded path of 4,096 bytes fits. */
const MAX_PART_HEADER_BYTES = 16 * 1024
const MAX_FIELD_NAME_LENGTH = 200

/** An array index of four or more digits. lodash would create an array with that many elements. */
const LARGE_INDEX = /(^|[.[])\d{4,}(?=$|[.[\]])/

interface Parser {
  error: Error | null
  partName: string | null
  partFilename: string | null | undefined
  partHeaderBytes?: number
  handleError(error: Error): void
  onParsePartBegin(): void
  onParseHeaderField(bytes: Buffer): void
  onParseHeaderValue(bytes: Buffer): void
  onParseHeaderEnd(): void
  onParseHeadersEnd(offset: number): Error | undefined
}

/**
 * Limits the headers and names of multipart parts. Without the limit, the library multiparty buffers headers of any
 * length in memory. Call it once per process.
 */
export function limitMultipartParser(): void {
  const { Form } = createRequire(import.meta.url)('@poppinss/multiparty') as {
    Form: { prototype: Parser }
  }
  const { prototype } = Form
  const { onParsePartBegin, onParseHeaderField, onParseHeaderValue } = prototype
  const { onParseHeaderEnd, onParseHeadersEnd } = prototype
  prototype.onParsePartBegin = function () {
    this.partHeaderBytes = 0
    onParsePartBegin.call(this)
  }
  const withinLimit = (keep: (this: Parser, bytes: Buffer) => void) =>
    function (this: Parser, bytes: Buffer) {
      if (this.error) return
      this.partHeaderBytes = (this.partHeaderBytes ?? 0) + bytes.length
      if (this.partHeaderBytes > MAX_PART_HEADER_BYTES) this.handleError(bodyTooLarge())
      else keep.call(this, bytes)
    }
  prototype.onParseHeaderField = withinLimit(onParseHeaderField)
  prototype.onParseHeaderValue = withinLimit(onParseHeaderValue)
  prototype.onParseHeaderEnd = function () {
    try {
      onParseHeaderEnd.call(this)
    } catch {
      // A name such as `filename*=utf-8''%` cannot be decoded. The client caused this, so the status is 4xx.
      this.handleError(invalid({ input: 'The field name is not allowed.' }))
    }
  }
  prototype.onParseHeadersEnd = function (offset) {
    if (this.error) return this.error
    const { partFilename } = this
    const name = this.partName ?? ''
    // Only the names of fields, not of files, are parsed as object paths.
    const isField = partFilename === undefined || partFilename === null
    if (isField && (name.length > MAX_FIELD_NAME_LENGTH || LARGE_INDEX.test(name))) {
      return invalid({ input: 'The field name is not allowed.' })
    }
    return onParseHeadersEnd.call(this, offset)
  }
}

/** Calls `exceed` once when more than `limit` bytes have arrived. A chunked body has no Content-Length to check. */
export function watchRequestBytes(
  request: IncomingMessage,
  limit: number,
  exceed: () => void
): void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= limit) return
    request.off('data', count)
    exceed()
  }
  request.on('data', count)
}
