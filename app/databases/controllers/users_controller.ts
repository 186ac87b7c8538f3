import { auditDatabaseUserChange, getDatabaseUser } from '#databases/actions/find_database_user'
import { nameWithoutPrefix } from '#databases/names'
import { generateServicePassword } from '#core/service_passwords'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { getDatabaseByName } from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import {
  accessValidator,
  newPasswordValidator,
  newUserValidator,
  remoteAddressValidator,
} from '#databases/validators/database'
import { respond } from '#core/action_response'
import type { HttpContext } from '@adonisjs/core/http'

/** Requests name the server, the user (`username`, `host`) and, if needed, the database. */
export default class UsersController {
  /** Without `user_password`, generates a password. Only this response contains it. */
  async store(ctx: HttpContext) {
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    const database = await getDatabaseByName(server, ctx.request.input('database_name'))
    const sent = await newUserValidator.validate(ctx.request.body(), { meta: { server } })
    const { username } = sent
    const password = orGenerated(sent.user_password)
    const newUser = { database: database.name, username, access: sent.access ?? 'all' }
    await databaseDriver(server).accounts.addUser(server, { ...newUser, password: password.text })
    await auditDatabaseUserChange(ctx, 'store', server, database, {
      username,
      access: newUser.access,
    })
    const shown = nameWithoutPrefix(server, username)
    respondOnce(ctx, `User ${shown} added.`, { username: shown, ...password.once })
  }

  async password(ctx: HttpContext) {
    const { server, user } = await getRequestedUser(ctx)
    const sent = await newPasswordValidator.validate(ctx.request.body(), { meta: { server } })
    const password = orGenerated(sent.user_password)
    await databaseDriver(server).accounts.setPassword(server, user, password.text)
    await auditDatabaseUserChange(ctx, 'password', server, null, { username: user.username })
    const message = 'Password changed. Enter the new password in all apps that use the old one.'
    respondOnce(ctx, message, { ...password.once })
  }

  async access(ctx: HttpContext) {
    const { server, user } = await getRequestedUser(ctx)
    const { access } = await accessValidator.validate(ctx.request.body())
    const database = await getDatabaseByName(server, ctx.request.input('database_name'))
    await databaseDriver(server).accounts.setAccess(server, user, {
      database: database.name,
      access,
    })
    await auditDatabaseUserChange(ctx, 'access', server, database, {
      username: user.username,
      access,
    })
    respondOnce(ctx, 'Access changed.')
  }

  /**
   * Saves `address`, from which the user may connect: an IP address, or a range such as 203.0.113.0/24. Empty: no
   * remote address.
   */
  async remote(ctx: HttpContext) {
    const { server, user } = await getRequestedUser(ctx)
    const { address = null } = await remoteAddressValidator.validate(ctx.request.body())
    await databaseDriver(server).accounts.setRemoteAddress(server, user, address)
    await auditDatabaseUserChange(ctx, 'remote', server, null, { username: user.username, address })
    respondOnce(
      ctx,
      address
        ? `The user can now also connect from ${address}. The connection is encrypted only if your program enables TLS.`
        : 'The user can now connect only from the server instance itself.'
    )
  }

  async remove(ctx: HttpContext) {
    const { server, user } = await getRequestedUser(ctx)
    await databaseDriver(server).accounts.removeUser(server, user)
    await auditDatabaseUserChange(ctx, 'remove', server, null, { ...user })
    respondOnce(ctx, 'User removed.')
  }
}

async function getRequestedUser(ctx: HttpContext) {
  const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
  const { username, host } = ctx.request.body()
  return { server, user: await getDatabaseUser(server, username, host) }
}

function orGenerated(password: string | null | undefined) {
  if (password) return { text: password, once: {} }
  const text = generateServicePassword()
  return { text, once: { password: text } }
}

function respondOnce(ctx: HttpContext, message: string, data: Record<string, unknown> = {}) {
  ctx.response.header('cache-control', 'no-store')
  respond(ctx, { message, data })
}
