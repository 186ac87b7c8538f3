import { reportSignedOut } from '~/signed_out'
import { xsrfToken } from '~/api_call'

/** Message that the specification requires (docs/product.md, "Databases"). */
export const DOWNLOAD_FAILED_MESSAGE = 'Failed to download the file. Please try again.'

/** Received parts are joined to a blob when they reach this size. The browser can move blobs from memory to disk. */
const CHUNK_BYTES = 16 * 1024 * 1024

export interface DownloadRequest {
  address: string
  /** Data of a POST request, sent as JSON. Without it, the request is a GET. */
  data?: Record<string, unknown>
  signal: AbortSignal
  /** Called with the bytes received so far. */
  onBytes: (bytes: number) => void
}

/**
 * Returns the message of an error response. If it begins with "Failed", returns the message that docs/product.md,
 * "Databases" requires, with the reason.
 */
export function exportErrorMessage(text: string): string {
  const message = messageFromBody(text)
  if (!message) return DOWNLOAD_FAILED_MESSAGE
  if (!message.startsWith('Failed')) return message
  return `Failed to export database. ${message.slice(message.lastIndexOf(':') + 1).trim()}`
}

function messageFromBody(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return text.startsWith('Failed') ? text : ''
  }
}

function fileNameFromHeader(header: string | null): string {
  const whole = /filename\*=UTF-8''([^;]+)/i.exec(header ?? '')
  if (whole) return decodeURIComponent(whole[1])
  return /filename="?([^";]+)"?/i.exec(header ?? '')?.[1] ?? 'export'
}

export interface DownloadResult {
  /** Reason why the download produced no file. `null` if it did. */
  problem: string | null
  /** Messages about missing or incomplete objects in the file. */
  notes: string[]
}

export async function downloadFile({
  address,
  data,
  signal,
  onBytes,
}: DownloadRequest): Promise<DownloadResult> {
  const token = xsrfToken()
  try {
    const response = await fetch(address, {
      method: data ? 'POST' : 'GET',
      signal,
      credentials: 'same-origin',
      headers: {
        'X-Requested-With': 'XMLHttpRequest',
        ...(token && { 'X-XSRF-TOKEN': token }),
        ...(data && { 'Content-Type': 'application/json' }),
      },
      body: data && JSON.stringify(data),
    })
    if (response.status === 401) reportSignedOut()
    const disposition = response.headers.get('Content-Disposition')
    if (!response.ok || !disposition)
      return { problem: exportErrorMessage(await response.text()), notes: [] }
    saveBlob(await readWholeBody(response, onBytes), fileNameFromHeader(disposition))
    return { problem: null, notes: notesFromHeader(response.headers.get('X-Berth-Notes')) }
  } catch {
    return { problem: DOWNLOAD_FAILED_MESSAGE, notes: [] }
  }
}

function notesFromHeader(header: string | null): string[] {
  return header ? (JSON.parse(decodeURIComponent(header)) as string[]) : []
}

async function readWholeBody(response: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const reader = response.body!.getReader()
  const pieces: Blob[] = []
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let total = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (value) {
      waiting.push(value)
      size += value.length
      total += value.length
      onBytes(total)
    }
    if (done || size >= CHUNK_BYTES) {
      pieces.push(new Blob(waiting))
      waiting = []
      size = 0
    }
    if (done) return new Blob(pieces)
  }
}

function saveBlob(file: Blob, name: string) {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function saveTextFile(text: string, name: string, type: string) {
  saveBlob(new Blob([text], { type }), name)
}
