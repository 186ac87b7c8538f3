import type { Engine } from '#databases/engines'
import type { HttpContext } from '@adonisjs/core/http'

export function engineOfRoute({ request }: Pick<HttpContext, 'request'>): Engine {
  return request.parsedUrl.pathname!.startsWith('/database/mongodb') ? 'mongodb' : 'mysql'
}
