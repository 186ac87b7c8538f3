import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { forbidden } from '#core/app_error'
import { saveDefaultInstance } from '#accounts/public'
import { getInstance } from '#instances/queries/instances'
import { assertInstanceCan } from '#instances/states/instance'
import { appUrl } from '#config/app'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

/** Sets the default instance, by the `GET` of the specification or by `POST`. */
export default class DefaultInstanceController {
  /** This GET changes data, so only our own pages may use it (decision 0013). */
  async show(ctx: HttpContext) {
    if (!isFromOurPages(ctx)) throw forbidden('Open this address from a page of the console.')
    return this.store(ctx)
  }

  async store(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.params.id)
    assertInstanceCan('setDefault', instance)
    await db.transaction(async (trx) => {
      await saveDefaultInstance(actor, instance.id, trx)
      await audit(
        {
          actor,
          accountId: instance.accountId,
          action: 'instance.set_default',
          subject: { type: 'server_instance', id: instance.id, label: instance.name },
          ip: ctx.request.ip(),
        },
        trx
      )
    })
    respond(ctx, { message: `${instance.name} is your default instance.` })
  }
}

function isFromOurPages({ request }: HttpContext): boolean {
  const ours = new URL(appUrl).origin
  const origin = request.header('origin')
  if (origin !== undefined) return origin === ours
  try {
    return new URL(request.header('referer') ?? '').origin === ours
  } catch {
    return false
  }
}
