import { reportSignedOut } from '~/signed_out'
import type { NonGetRoutePath } from '#core/page_addresses'
import { networkErrorAnswer, UNREADABLE_RESPONSE_MESSAGE, xsrfToken } from '~/api_call'
import type { OperationView } from '~/components/operation/types'

export interface UploadResult {
  success: boolean
  /** Message of the response. Empty if the response did not come from Berth. */
  message: string
  errors: Record<string, string[]>
  operation: OperationView | null
}

interface UploadRequest {
  to: NonGetRoutePath
  query: Record<string, string>
  /** Form fields that are sent before the file, so that the server knows them when the file arrives. */
  fields: Record<string, string>
  file: File
  /** Called with the bytes sent so far. */
  onSent: (bytes: number) => void
  signal: AbortSignal
}

/** The promise of a cancelled upload never settles. */
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
    request.onload = () => {
      if (request.status === 401) reportSignedOut()
      resolve(parseResponse(request.status, request.responseText))
    }
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
  let body: ResponseBody | null = null
  try {
    body = JSON.parse(text) as ResponseBody | null
  } catch {
    // If the response is not JSON, a proxy may have sent it.
  }
  if (!body) {
    const message = status < 400 ? UNREADABLE_RESPONSE_MESSAGE : ''
    return { success: false, message, errors: {}, operation: null }
  }
  return {
    success: status < 400 && body.success !== false,
    message: body.message ?? '',
    errors: body.errors ?? {},
    operation: body.data?.operation ?? null,
  }
}
