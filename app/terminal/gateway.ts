import { appUrl } from '#config/app'
import { audit } from '#core/audit/audit'
import { subscribe } from '#core/live/live_events'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { type GrantScope, redeemGrant } from '#terminal/actions/grants'
import { accessTopic } from '#identity/public'
import { TerminalUser, findTerminalUser } from '#terminal/actions/terminal_user'
import { GRANT_REJECTED_MESSAGE, SIGNED_OUT_MESSAGE } from '#terminal/errors'
import { getTerminalMachine, type TerminalMachine } from '#terminal/queries/machines'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GrantRejection as GatewayRejection,
  type RedeemedTerminalGrant,
} from '#packages/terminal-gateway/main'
import { MachineError } from '#packages/machine/main'
import logger from '@adonisjs/core/services/logger'
import { randomUUID } from 'node:crypto'

/** Normally an event triggers the check earlier, but an event can be lost. */
const RECHECK_INTERVAL_MS = 20_000

interface OpenTerminal {
  visitor: TerminalUser
  allowed: GrantScope
  revoke: AbortController
}

/**
 * After `close()`, the gateway cannot be used again.
 * @param limits overrides for tests
 * @throws TypeError if `APP_URL` is not a URL
 */
export function createTerminalGateway(
  limits: Pick<
    GatewayOptions,
    'idleTimeout' | 'idleWarning' | 'keepFor' | 'maxPerPerson' | 'maxPerMachine'
  > & {
    recheckEvery?: number
  } = {}
): Gateway {
  const { recheckEvery = RECHECK_INTERVAL_MS, ...options } = limits
  const open = new Set<OpenTerminal>()
  const { origin: ownOrigin } = new URL(appUrl)
  const onError = (error: unknown) =>
    logger.error({ err: error }, 'the terminal gateway reported an error')

  const gateway = createGateway({
    ...options,
    allowedOrigins: (origin) => origin === ownOrigin,
    authenticate: findTerminalUser,
    redeem: async (grant, visitor) => {
      if (!(visitor instanceof TerminalUser))
        throw new TypeError('The visitor is not authenticated')
      return redeem(grant, visitor, open, onError)
    },
    onError,
  })

  const recheck = setInterval(() => {
    for (const terminal of open) checkAgain(terminal).catch(onError)
  }, recheckEvery)
  const close = gateway.close.bind(gateway)
  gateway.close = async () => {
    clearInterval(recheck)
    await close()
  }
  return gateway
}

async function redeem(
  grant: string,
  visitor: TerminalUser,
  open: Set<OpenTerminal>,
  onError: (error: unknown) => void
): Promise<RedeemedTerminalGrant | GatewayRejection> {
  const { actor, personId, sessionId } = visitor
  const allowed = await redeemGrant(grant, { personId: actor.id, sessionId })
  if (!allowed) return { refused: true, reason: GRANT_REJECTED_MESSAGE }
  let machine: TerminalMachine
  try {
    machine = await getTerminalMachine(actor, allowed.machineType, allowed.machineId)
  } catch (error) {
    if (error instanceof AppError) return { refused: true, reason: error.message }
    throw error
  }

  const id = randomUUID()
  const terminal: OpenTerminal = { visitor, allowed, revoke: new AbortController() }
  const note = (action: string, after: Record<string, unknown>) =>
    audit({
      actor,
      accountId: machine.accountId,
      action,
      subject: { type: machine.type, id: machine.id, label: machine.label },
      after: { terminal: id, ...after },
      ip: allowed.ip,
    })
  let openedAt: number | null = null
  const topics = [accessTopic(actor.id), `${machine.type}:${machine.id}`]
  const listen = () =>
    Promise.all(
      topics.map((topic) => subscribe(topic, () => void checkAgain(terminal).catch(onError)))
    )
  let listening: Promise<(() => void)[]> = Promise.resolve([])

  return {
    id,
    personId,
    machineId: `${machine.type}:${machine.id}`,
    label: machine.label,
    revoked: terminal.revoke.signal,
    async recheck(next) {
      if (next instanceof TerminalUser) terminal.visitor = next
      await checkAgain(terminal)
    },
    async open(size) {
      // Writes the audit entry before the shell starts, so that no shell is without one.
      await note('terminal.open', { folder: allowed.folder })
      openedAt = Date.now()
      open.add(terminal)
      listening = listen()
      await listening.catch(onError)
      try {
        return await machine.shell({ ...size, folder: allowed.folder })
      } catch (error) {
        const appError =
          machine.type === 'server_instance' ? toAppErrorIfMachineError(error) : error
        if (!(appError instanceof AppError)) throw error
        throw new MachineError('unreachable', appError.message, { cause: error })
      }
    },
    async onClosed(reason, bytes) {
      open.delete(terminal)
      for (const stop of await listening.catch(() => [])) stop()
      if (openedAt === null) return note('terminal.refuse', { reason })
      const seconds = Math.round((Date.now() - openedAt) / 1_000)
      return note('terminal.close', { reason, seconds, bytes })
    },
  }
}

async function checkAgain({ visitor, allowed, revoke }: OpenTerminal): Promise<void> {
  const now = await findTerminalUser(visitor.request)
  if (!now || now.personId !== visitor.personId) return revoke.abort(SIGNED_OUT_MESSAGE)
  try {
    await getTerminalMachine(now.actor, allowed.machineType, allowed.machineId)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    revoke.abort(error.message)
  }
}
