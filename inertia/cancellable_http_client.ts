import {
  HttpCancelledError,
  type HttpRequestConfig,
  type HttpResponse,
  XhrHttpClient,
} from '@inertiajs/core'

/**
 * The requests of visits, of which none is answered once it was cancelled. Inertia's own client hears of it only from the
 * moment on that it sends: a list that was to be read anew in the same breath in which somebody went elsewhere was sent
 * all the same, and where its answer came last, it was drawn as the whole page, without menu and user.
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
