import { noteRead } from '#files/actions/note_read'
import { cleanFilePath, split } from '#guest/public'
import { requireInstance, webRootOf } from '#files/queries/chosen_instance'
import { Refusal } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'
import { pipeline } from 'node:stream/promises'

/** `GET /file-manager/download-file`: the file as it is, in parts where asked for. */
export default class DownloadsController {
  async show(ctx: HttpContext) {
    const { request, response } = ctx
    const path = cleanFilePath(request.qs().path)
    const instance = await requireInstance(ctx)
    const root = await webRootOf(instance)
    const { size, mtime } = await root.info(path)
    const tag = `"${mtime}-${size}"`
    const ifRange = request.header('if-range')
    const range = !ifRange || ifRange === tag ? rangeOf(request.header('range'), size) : null
    response.header('accept-ranges', 'bytes')
    response.header('etag', tag)
    response.header('last-modified', new Date(mtime * 1000).toUTCString())
    response.header('content-type', 'application/octet-stream')
    response.header('content-disposition', dispositionOf(split(path).name.toWellFormed()))
    response.header('x-content-type-options', 'nosniff')
    response.header('content-security-policy', "sandbox; default-src 'none'")
    response.header('cache-control', 'private, no-cache')
    if (range === 'impossible') {
      response.header('content-range', `bytes */${size}`)
      throw new Refusal('range', 416, 'The file has no such part.')
    }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    const length = end - start + 1
    response.status(range ? 206 : 200)
    if (range) response.header('content-range', `bytes ${start}-${end}/${size}`)
    response.header('content-length', String(length))
    const raw = response.response
    const isWanted = request.method() !== 'HEAD'
    if (isWanted) await noteRead(ctx, instance, 'files.download', path)
    const source = isWanted ? await root.slice(path, start, length) : null
    response.relayHeaders()
    raw.writeHead(range ? 206 : 200)
    if (!source) return void raw.end()
    // A broken download must not look whole: the connection ends instead.
    await pipeline(source, raw).catch(() => raw.destroy())
  }
}

/** One range of bytes; null for none or for what we do not serve in parts (RFC 9110, 14.2). */
export function rangeOf(
  header: string | undefined,
  size: number
): { start: number; end: number } | 'impossible' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [, first, last] = match
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'impossible' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'impossible' : { start, end }
}

/** RFC 6266: plain letters for old readers, the true name for all others. */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
