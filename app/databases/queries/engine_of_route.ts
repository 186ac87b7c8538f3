import type { Engine } from '#databases/engines'
import type { HttpContext } from '@adonisjs/core/http'

/** Returns the engine from the URL path: `/database/mysql/…`. */
export function engineOfRoute({ request }: Pick<HttpContext, 'request'>): Engine {
  return request.parsedUrl.pathname!.startsWith('/database/mongodb') ? 'mongodb' : 'mysql'
}
