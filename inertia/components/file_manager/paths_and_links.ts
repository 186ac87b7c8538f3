import { prefixForArea } from '~/area_prefix'
import type { CallPath } from '~/api_call'
import type { Area } from '~/types'

export function joinPath(folder: string, name: string) {
  return folder ? `${folder}/${name}` : name
}

/** Returns the path of the parent folder. `''` is the web root. */
export function parentPath(path: string) {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

export function displayNameOf(path: string) {
  return decodeDisplayName(path.slice(path.lastIndexOf('/') + 1))
}

/** Decodes a name. A name that is not valid text arrives as `.berth-raw-` and its bytes in hexadecimal. */
export function decodeDisplayName(segment: string) {
  const hex = /^\.berth-raw-((?:[0-9a-f]{2})+)$/.exec(segment)?.[1]
  if (!hex) return segment
  const bytes = hex.match(/../g)!.map((byte) => Number.parseInt(byte, 16))
  return new TextDecoder().decode(new Uint8Array(bytes))
}

export function entryKey({ name, wire }: { name: string; wire?: string }) {
  return wire ?? name
}

export function entryPath(folder: string, entry: { name: string; wire?: string }) {
  return joinPath(folder, entryKey(entry))
}

function withQuery<Path extends CallPath>(
  call: Path,
  query: Record<string, string | number | null>
): Path | `${Path}?${string}` {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value)).replaceAll('%2F', '/')}`)
  return parts.length ? `${call}?${parts.join('&')}` : call
}

export type FileManagerArea = Exclude<Area, 'public'>

export function fileManagerHref(area: FileManagerArea) {
  return `${prefixForArea(area)}/file-manager` as const
}

export function folderHref(
  path: string,
  instance: number | null,
  area: FileManagerArea = 'customer'
) {
  return withQuery(fileManagerHref(area), { path, server_instance_id: instance })
}

export function editorHref(
  path: string,
  instance: number | null,
  area: FileManagerArea = 'customer'
) {
  return withQuery(`${fileManagerHref(area)}/file`, {
    path: `/${path}`,
    server_instance_id: instance,
  })
}

export function downloadHref(
  path: string,
  instance: number | null,
  area: FileManagerArea = 'customer'
) {
  return withQuery(`${fileManagerHref(area)}/download-file`, {
    path: `/${path}`,
    server_instance_id: instance,
  })
}

/** Proxies may reject longer URLs. */
const MAX_URL_LENGTH = 8_000

/**
 * Returns the URL that downloads entries of a folder as a zip. `names` contains their keys from `entryKey`. An empty
 * list means the whole folder. Returns null for more than 500 names, or if the URL would be too long.
 */
export function zipHref(
  path: string,
  names: string[],
  instance: number | null,
  area: FileManagerArea = 'customer'
) {
  const folder = withQuery(`${fileManagerHref(area)}/download-folder`, {
    path: `/${path}`,
    server_instance_id: instance,
  })
  const href = [folder, ...names.map((name) => `name=${encodeURIComponent(name)}`)].join('&')
  return names.length > 500 || href.length > MAX_URL_LENGTH ? null : href
}

export function uploadHref(
  query: Record<string, string | number | null>,
  area: FileManagerArea = 'customer'
) {
  return withQuery(`${fileManagerHref(area)}/upload-file`, query)
}

export function uploadManyHref(
  query: Record<string, string | number | null>,
  area: FileManagerArea = 'customer'
) {
  return withQuery(`${fileManagerHref(area)}/upload-files`, query)
}

export type ResumableUploadCall =
  | 'resume-upload'
  | 'upload-part'
  | 'finish-upload'
  | 'discard-upload'

/** @param query describes the file (`resumableUploadValidator` of the server) */
export function resumableUploadHref(
  call: ResumableUploadCall,
  area: FileManagerArea = 'customer',
  query: Record<string, string | number | null>
) {
  return withQuery(`${fileManagerHref(area)}/${call}`, query)
}
