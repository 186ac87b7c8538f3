import { releaseDomain } from '#compute/public'
import { defineOperation } from '#core/operations/operations'
import { waitForAnswer } from '#projects/machine/folder'
import { installPhp } from '#projects/machine/software'
import Project from '#projects/models/project'
import { progressOf, type ProjectWork, reach, serveSite } from '#projects/operations/reach'
import type { VirtualHost } from '#projects/virtual_host/types'
import { virtualHostTypes } from '#projects/virtual_host/types'

export interface VirtualHostWork extends ProjectWork {
  /** What stands again when it fails. */
  before: { virtualHost: VirtualHost | null; siteFile: string | null }
}

/** Makes the web server serve a project as its virtual host says, or leaves all as it was. */
export const serveVirtualHost = defineOperation<VirtualHostWork>({
  kind: 'project.virtual_host',
  steps: [
    {
      key: 'software',
      label: 'Prepare the server',
      async run(input, context) {
        const { project, machine } = await reach(input)
        const { virtualHost: host } = project
        if (host && virtualHostTypes[host.type].php) await installPhp(machine, progressOf(context))
      },
    },
    {
      key: 'site',
      label: 'Write, test and load the configuration',
      async run(input) {
        const { project, machine } = await reach(input)
        await serveSite(project, machine, input.before.siteFile)
      },
    },
    {
      key: 'answer',
      label: 'Ask the site',
      async run(input, { tell }) {
        const { project, machine } = await reach(input)
        const { virtualHost: host, siteFile, status } = project
        // An app behind a proxy may be started later.
        if (!host || !siteFile || status !== 'active' || virtualHostTypes[host.type].proxy) return
        const url = `http://127.0.0.1:${host.url_port ?? 80}/`
        const answered = await waitForAnswer(machine, url, host.subdomain ?? undefined)
        await tell(`It answers with status ${answered}.`)
      },
    },
    {
      key: 'domain',
      label: 'Hand over the domain',
      async run({ projectId, before }) {
        const project = await Project.query()
          .where('id', projectId)
          .preload('instance')
          .firstOrFail()
        const old = before.virtualHost?.subdomain
        if (old && old !== project.virtualHost?.subdomain) {
          await releaseDomain(project.instance, old)
        }
        await project.merge({ siteError: null }).save()
      },
    },
  ],
  async failed({ projectId, before }, reason) {
    const project = await Project.query().where('id', projectId).preload('instance').firstOrFail()
    const claimed = project.virtualHost?.subdomain
    if (claimed && claimed !== before.virtualHost?.subdomain) {
      await releaseDomain(project.instance, claimed)
    }
    await project.merge({ ...before, siteError: reason }).save()
  },
})
