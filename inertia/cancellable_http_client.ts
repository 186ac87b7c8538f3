import { isSignedOut, KEEP_PAGE_HEADER, reportSignedOut } from '~/signed_out'
import {
  HttpCancelledError,
  HttpResponseError,
  type HttpRequestConfig,
  type HttpResponse,
  XhrHttpClient,
} from '@inertiajs/core'

/**
 * HTTP client that never sends a cancelled request. Inertia's own client checks for a cancellation only after it has
 * started to send. If the person left a page just when its list reloaded, the list's response could arrive last.
 * Inertia then rendered this response as the whole page, without menu and user. If the person was signed out
 * elsewhere, this client keeps the page after a reload or a submitted form. Only a visit of another page leads to the
 * sign-in page.
 */
export class CancellableHttpClient extends XhrHttpClient {
  protected async doRequest(config: HttpRequestConfig): Promise<HttpResponse> {
    rejectCancelled(config)
    const headers = config.headers ?? {}
    const keepsPage = config.method !== 'get' || 'X-Inertia-Partial-Component' in headers
    const cancelled = () => new HttpCancelledError('The person was signed out', config.url)
    if (keepsPage && isSignedOut()) throw cancelled()
    const request = keepsPage
      ? { ...config, headers: { ...headers, [KEEP_PAGE_HEADER]: 'json' } }
      : config
    const response = await super.doRequest(request).catch((error: unknown) => {
      if (!keepsPage || !isSignedOutError(error)) throw error
      reportSignedOut()
      throw cancelled()
    })
    rejectCancelled(config)
    return response
  }
}

function isSignedOutError(error: unknown) {
  return error instanceof HttpResponseError && error.response.status === 401
}

function rejectCancelled({ signal, url }: HttpRequestConfig) {
  if (signal?.aborted) throw new HttpCancelledError('Request was cancelled', url)
}
