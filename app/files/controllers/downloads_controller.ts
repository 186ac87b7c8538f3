import { auditFileRead } from '#files/actions/audit_file_read'
import { FOLDER_ZIP_LIMITS } from '#files/errors'
import { zipFolder } from '#files/folder_zip'
import {
  invalidPath,
  parseFilePathInWebRoot,
  parsePathInWebRoot,
  splitPath,
  webRoot,
  encodePathInWebRoot,
} from '#guest/public'
import { requireSelectedInstance, openInstanceWebRoot } from '#files/queries/selected_web_root'
import { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Downloads files, with byte ranges, and folders as ZIP files. */
export default class DownloadsController {
  async show(ctx: HttpContext) {
    const { request, response } = ctx
    const path = parseFilePathInWebRoot(request.qs().path)
    const instance = await requireSelectedInstance(ctx)
    const root = await openInstanceWebRoot(instance)
    const { size, mtime } = await root.info(path)
    const tag = `"${mtime}-${size}"`
    const ifRange = request.header('if-range')
    const range =
      !ifRange || ifRange === tag ? requestedByteRange(request.header('range'), size) : null
    response.header('accept-ranges', 'bytes')
    response.header('etag', tag)
    response.header('last-modified', new Date(mtime * 1000).toUTCString())
    setDownloadHeaders(ctx, splitPath(path).name, 'application/octet-stream')
    if (range === 'impossible') {
      response.header('content-range', `bytes */${size}`)
      throw new AppError('range', 416, 'The requested range is outside the file.')
    }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    const length = end - start + 1
    response.status(range ? 206 : 200)
    if (range) response.header('content-range', `bytes ${start}-${end}/${size}`)
    response.header('content-length', String(length))
    const raw = response.response
    const isWanted = request.method() !== 'HEAD'
    if (isWanted) await auditFileRead(ctx, instance, 'files.download', path)
    const source = isWanted ? await root.slice(path, start, length) : null
    response.relayHeaders()
    raw.writeHead(range ? 206 : 200)
    if (!source) return void raw.end()
    // Closes the connection on an error. Otherwise an incomplete download would look complete.
    await pipeline(source, raw).catch(() => raw.destroy())
  }

  /** Downloads a folder, or the entries in the repeatable query parameter `name`. */
  async showFolder(ctx: HttpContext) {
    const { request, response } = ctx
    const folder = parsePathInWebRoot(request.qs().path)
    const names = namesIn(request.parsedUrl.query)
    const instance = await requireSelectedInstance(ctx)
    const root = await openInstanceWebRoot(instance)
    const packed = await root.pack(folder, names, FOLDER_ZIP_LIMITS.entries)
    try {
      const raw = response.response
      const isWanted = request.method() !== 'HEAD'
      if (isWanted) {
        const details = names ? { names: names.map(encodePathInWebRoot) } : {}
        await auditFileRead(ctx, instance, 'files.download_folder', folder, details)
      }
      const [only] = names?.length === 1 ? names : []
      const name = only ?? (folder ? splitPath(folder).name : basename(webRoot.path))
      setDownloadHeaders(ctx, `${name}.zip`, 'application/zip')
      response.relayHeaders()
      raw.writeHead(200)
      if (!isWanted) return void raw.end()
      await pipeline(zipFolder(packed, names), raw).catch(() => raw.destroy())
    } finally {
      packed.tar.destroy()
    }
  }
}

function namesIn(query: string | null): string[] | null {
  // Parses the query string again, because `qs` returns an object instead of an array for more than a
  // few values.
  const rawNames = new URLSearchParams(query ?? '').getAll('name')
  if (rawNames.length > FOLDER_ZIP_LIMITS.names) {
    throw invalidPath(`Choose at most ${FOLDER_ZIP_LIMITS.names} files and folders.`, 'name')
  }
  const names = rawNames.map((each) => parseFilePathInWebRoot(each, 'name'))
  if (names.some((name) => name.includes('/'))) {
    throw invalidPath('A name cannot contain a slash.', 'name')
  }
  return names.length > 0 ? [...new Set(names)] : null
}

/** Sets headers that make browsers download a customer's file. They must never render or run it. */
function setDownloadHeaders({ response }: HttpContext, name: string, type: string): void {
  response.header('content-type', type)
  response.header('content-disposition', dispositionOf(name.toWellFormed()))
  response.header('x-content-type-options', 'nosniff')
  response.header('content-security-policy', "sandbox; default-src 'none'")
  response.header('cache-control', 'private, no-cache')
}

/**
 * Parses a Range header. Returns null if there is none, or if RFC 9110 (14.2) allows ignoring it.
 * Berth then sends the whole file.
 */
export function requestedByteRange(
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

/** Returns Content-Disposition (RFC 6266): an ASCII name for old clients, the full name for others. */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
