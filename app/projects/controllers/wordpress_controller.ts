import { assertCan } from '#instances/public'
import { Refusal } from '#core/refusal'
import { machineOf } from '#guest/public'
import { inspectWordpress } from '#projects/machine/wordpress'
import { wordpressPlace } from '#projects/operations/wordpress'
import { domainsOf, findProject } from '#projects/queries/projects'
import type { WordpressState } from '#projects/transformers/pages'
import { addressesOf } from '#projects/transformers/addresses'
import { wordpressState } from '#projects/transformers/wordpress'
import type { HttpContext } from '@adonisjs/core/http'

/** Reports the state of a project's WordPress, read on its server instance. */
export default class WordpressController {
  async show(ctx: HttpContext) {
    const project = await findProject(ctx.actor!, ctx.params.id)
    assertCan('manage', project.instance)
    const machine = await machineOf(project.instance)
    const domain = (await domainsOf([project])).get(project.id)
    const address = addressesOf(project, domain)[0]?.url ?? null
    const { folder } = wordpressPlace(project)
    const data: WordpressState = await inspectWordpress(machine, folder).then(
      (found) => wordpressState(found, address),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        return wordpressState(null, address, error.message)
      }
    )
    ctx.response.json({ success: true, message: '', data })
  }
}
