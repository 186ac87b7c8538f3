import { areaOf } from '#core/area'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import emitter from '@adonisjs/core/services/emitter'
import app from '@adonisjs/core/services/app'
import SessionMiddleware from '@adonisjs/session/session_middleware'

type Config = ConstructorParameters<typeof SessionMiddleware>[0]

const sessions = new Map<string, SessionMiddleware<Record<string, never>>>()

/**
 * One session for each area, so that one browser can be customer and staff at once
 * (decisions, "People").
 */
export default class AreaSessionMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const area = areaOf(ctx.request.url())
    let session = sessions.get(area)
    if (!session) {
      const config = await sessionConfig()
      const cookieName = area === 'admin' ? 'berth-staff' : 'berth-customer'
      session = new SessionMiddleware({ ...config, cookieName }, emitter)
      sessions.set(area, session)
    }
    return session.handle(ctx, next)
  }
}

let resolved: Promise<Config> | undefined

function sessionConfig(): Promise<Config> {
  const provider = app.config.get<{ resolver(app: unknown): Promise<Config> }>('session')
  resolved ??= provider.resolver(app)
  return resolved
}
