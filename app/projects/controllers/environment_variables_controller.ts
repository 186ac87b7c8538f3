import { respond } from '#core/action_response'
import {
  changeEnvironmentVariables,
  revealVariable,
} from '#projects/actions/change_environment_variables'
import { getProject } from '#projects/queries/projects'
import type { HttpContext } from '@adonisjs/core/http'

/** Responses list variables without their values. Only a request with `reveal` gets a value. */
export default class EnvironmentVariablesController {
  async show(ctx: HttpContext) {
    const project = await getProject(ctx.actor, ctx.request.qs().project_id)
    const variables = Object.keys(project.environment)
    ctx.response.json({ success: true, message: '', data: { variables } })
  }

  /**
   * Saves variables from `POST …/project/pm2/environment { project_id, variables: [{ name, value?
   * }] }`, or from `dotenv` and `replace`.
   */
  async update(ctx: HttpContext) {
    const { project_id: id, variables, dotenv, replace } = ctx.request.body()
    const project = await getProject(ctx.actor, id)
    const sent = { variables, dotenv, replace: replace === true || replace === 'true' }
    const { actor, request } = ctx
    const { names, notes } = await changeEnvironmentVariables(actor, project, sent, request.ip())
    const saved = 'Variables saved. Builds and processes use them after their next start.'
    respond(ctx, {
      message: [saved, ...notes].join(' '),
      data: { variables: names },
    })
  }

  async reveal(ctx: HttpContext) {
    const { project_id: id, name } = ctx.request.body()
    const project = await getProject(ctx.actor, id)
    const value = await revealVariable(ctx.actor, project, name, ctx.request.ip())
    ctx.response.header('cache-control', 'no-store')
    ctx.response.json({ success: true, message: '', data: { value } })
  }
}
