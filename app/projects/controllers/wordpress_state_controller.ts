import { assertInstanceCan } from '#instances/public'
import { AppError } from '#core/app_error'
import { connectToActiveInstance } from '#instances/public_effects'
import { inspectWordpress } from '#projects/machine/wordpress'
import { wordpressLocation } from '#projects/operations/sync_wordpress_addresses_and_schedule'
import { loadProjectDomains, getProject } from '#projects/queries/projects'
import type { WordpressState } from '#projects/transformers/page_props'
import { projectAddresses } from '#projects/transformers/addresses'
import { wordpressState } from '#projects/transformers/wordpress'
import type { HttpContext } from '@adonisjs/core/http'

export default class WordpressStateController {
  async show(ctx: HttpContext) {
    const project = await getProject(ctx.actor, ctx.params.id)
    assertInstanceCan('manage', project.instance)
    const machine = await connectToActiveInstance(project.instance)
    const domains = (await loadProjectDomains([project])).get(project.id)
    const address = projectAddresses(project, domains)[0]?.url ?? null
    const { folder } = wordpressLocation(project)
    const data: WordpressState = await inspectWordpress(machine, folder).then(
      (installed) => wordpressState(installed, address),
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        return wordpressState(null, address, error.message)
      }
    )
    ctx.response.json({ success: true, message: '', data })
  }
}
