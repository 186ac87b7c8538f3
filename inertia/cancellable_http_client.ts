import {
  HttpCancelledError,
  type HttpRequestConfig,
  type HttpResponse,
  XhrHttpClient,
} from '@inertiajs/core'

/**
 * Inertia's own client notices a cancellation only after it has started to send. If a list reload
 * started just when the person navigated away, its response could arrive last. Inertia then
 * rendered it as the whole page, without menu and user.
 */
export class CancellableHttpClient extends XhrHttpClient {
  protected async doRequest(config: HttpRequestConfig): Promise<HttpResponse> {
    rejectCancelled(config)
    const response = await super.doRequest(config)
    rejectCancelled(config)
    return response
  }
}

function rejectCancelled({ signal, url }: HttpRequestConfig) {
  if (signal?.aborted) throw new HttpCancelledError('Request was cancelled', url)
}
