import { assertAbilityIfStaff } from '#identity/public'
import {
  changePower,
  type PowerAction,
  restartWithoutApps,
} from '#instances/actions/instance_lifecycle'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { getInstance } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

const messages: Record<PowerAction, string> = {
  start: 'is starting.',
  stop: 'is stopping.',
  restart: 'is restarting.',
}

export default class InstancePowerController {
  start(ctx: HttpContext) {
    return change(ctx, 'start')
  }

  stop(ctx: HttpContext) {
    return change(ctx, 'stop')
  }

  restart(ctx: HttpContext) {
    return change(ctx, 'restart')
  }

  async restartWithoutApps(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.request.input('id'))
    assertAbilityIfStaff(actor, 'instances.change')
    const operation = await restartWithoutApps(actor, instance.id, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is restarting without its apps.`)
  }
}

async function change(ctx: HttpContext, action: PowerAction) {
  const actor = ctx.actor
  const instance = await getInstance(actor, ctx.request.input('id'))
  assertAbilityIfStaff(actor, 'instances.change')
  const operation = await changePower(actor, instance.id, action, ctx.request.ip())
  respondWithOperation(ctx, operation, `${instance.name} ${messages[action]}`)
}
