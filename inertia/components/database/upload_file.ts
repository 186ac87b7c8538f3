import type { NonGetRoutePath } from '#core/page_addresses'
import { networkErrorAnswer, xsrfToken } from '~/api_call'
import type { OperationView } from '~/components/operation/types'

/** What the server made of a file. */
export interface UploadResult {
  success: boolean
  /** empty where nothing of ours answered */
  message: string
  errors: Record<string, string[]>
  operation: OperationView | null
}

interface UploadRequest {
  to: NonGetRoutePath
  query: Record<string, string>
  /** sent before the file, so that the server knows of them when it comes */
  fields: Record<string, string>
  file: File
  /** bytes that were sent */
  onSent: (bytes: number) => void
  signal: AbortSignal
}

/** Sends a file with its fields; an upload that is cancelled never answers. */
export function uploadFile({
  to,
  query,
  fields,
  file,
  onSent,
  signal,
}: UploadRequest): Promise<UploadResult> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const request = new XMLHttpRequest()
  return new Promise((resolve) => {
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size))
    request.onerror = () => resolve({ ...networkErrorAnswer, errors: {}, operation: null })
    request.onload = () => resolve(parseResponse(request.status, request.responseText))
    signal.addEventListener('abort', () => request.abort())
    request.open('POST', `${to}?${new URLSearchParams(query)}`)
    request.setRequestHeader('Accept', 'application/json')
    const token = xsrfToken()
    if (token) request.setRequestHeader('X-XSRF-TOKEN', token)
    request.send(form)
  })
}

interface ResponseBody {
  success?: boolean
  message?: string
  errors?: Record<string, string[]>
  data?: { operation?: OperationView }
}

function parseResponse(status: number, text: string): UploadResult {
  let body: ResponseBody = {}
  try {
    body = JSON.parse(text) as ResponseBody
  } catch {
    // Something on the way answered, not the server.
  }
  return {
    success: status < 400 && body.success !== false,
    message: body.message ?? '',
    errors: body.errors ?? {},
    operation: body.data?.operation ?? null,
  }
}
