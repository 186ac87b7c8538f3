import { tooManyRequests } from '#core/app_error'
import type { Actor } from '#core/contracts/actor'
import { resolveShellFolder } from '#terminal/actions/root_shell'
import { createGrant } from '#terminal/actions/grants'
import { getTerminalMachine, type MachineType } from '#terminal/queries/machines'
import type { HttpContext } from '@adonisjs/core/http'
import limiter from '@adonisjs/limiter/services/main'

const MAX_GRANTS_PER_MINUTE = 60

/**
 * The response to a grant request. The page sends all fields in its first message, but the gateway
 * reads only `grant`.
 */
export interface IssuedGrant {
  grant: string
  host: string
  user: string
  port?: number
  commands: string[]
}

/** @throws AppError 403, 404, 409, 422, 429 */
export async function issueTerminalGrant(
  ctx: HttpContext,
  actor: Actor,
  request: { type: MachineType; id: number; path?: string }
): Promise<IssuedGrant> {
  await count(actor)
  const machine = await getTerminalMachine(actor, request.type, request.id)
  const folder = machine.type === 'server_instance' ? resolveShellFolder(request.path) : null
  const grant = await createGrant(
    { personId: actor.id, sessionId: ctx.session.sessionId },
    { machineType: machine.type, machineId: machine.id, folder, ip: ctx.request.ip() }
  )
  return { grant, ...machine.address, commands: machine.commandIn(folder) }
}

async function count(actor: Actor): Promise<void> {
  const limit = limiter.use({ requests: MAX_GRANTS_PER_MINUTE, duration: 60 })
  const key = `terminal:${actor.id}`
  const allowed = await limit.attempt(key, () => true)
  if (!allowed) throw tooManyRequests(await limit.availableIn(key))
}
