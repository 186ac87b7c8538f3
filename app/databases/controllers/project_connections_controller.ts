import { getDatabaseUser } from '#databases/actions/find_database_user'
import { wrongPassword } from '#databases/errors'
import { nameWithoutPrefix } from '#databases/names'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { getDatabaseByName } from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import { projectConnectionValidator } from '#databases/validators/database'
import { audit } from '#core/audit/audit'
import { respond } from '#core/action_response'
import { addEnvironmentVariables } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

export default class ProjectConnectionsController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    const { id, name } = await getDatabaseByName(server, ctx.request.input('database_name'))
    const user = await getDatabaseUser(server, ctx.request.input('username'))
    const { user_password: password, project_id: projectId } =
      await projectConnectionValidator.validate(ctx.request.body())
    const { accounts } = databaseDriver(server)
    const connection = { database: name, username: user.username, password }
    // A wrong password would break the project's connection. Berth does not store it, so the server must check it.
    if (!(await accounts.canConnect(server, connection))) throw wrongPassword()
    const ip = ctx.request.ip()
    const instanceId = server.instance?.id ?? null
    const variables = accounts.environmentVariables(server, connection)
    await addEnvironmentVariables('project', { actor, id: projectId, instanceId, variables, ip })
    await audit({
      actor,
      accountId: server.accountId,
      action: 'database.project',
      subject: { type: 'database', id, label: nameWithoutPrefix(server, name) },
      after: { project_id: projectId, variables: Object.keys(variables) },
      ip,
    })
    respond(ctx, {
      message:
        'Database address added to the variables of the project. Builds and processes use it after their next start.',
      data: { variables: Object.keys(variables) },
    })
  }
}
