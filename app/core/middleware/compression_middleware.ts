import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import compression from 'compression'

const compress = compression({
  level: 4,
  // Excludes event streams, which must arrive immediately, and downloads, which keep their Content-Length.
  filter: (request, response) => {
    if (response.getHeader('content-disposition')) return false
    const type = String(response.getHeader('content-type') ?? '')
    return !type.startsWith('text/event-stream') && compression.filter(request, response)
  },
})

/** Compresses responses, because not every installation has a proxy that does. */
export default class CompressionMiddleware {
  handle({ request, response }: HttpContext, next: NextFn) {
    compress(request.request as never, response.response as never, () => {})
    return next()
  }
}
