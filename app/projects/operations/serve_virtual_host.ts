import { removeDomainClaims } from '#edge/public'
import { openHostPort, connectToActiveInstance } from '#instances/public_effects'
import { defineOperation } from '#core/operations/operations'
import { appListensOnLoopbackOnly } from '#projects/errors'
import { waitForHttpAnswer } from '#projects/machine/project_folder'
import { isUrlAnswering, listensPubliclyOrNotYet } from '#projects/machine/reachability'
import { installPhp } from '#projects/machine/install_php'
import { upgradeOldWordpressSetup } from '#projects/machine/wordpress'
import Project from '#projects/models/project'
import {
  closeProjectPort,
  stepCommandOptions,
  type ProjectOperationInput,
  loadProjectAndMachine,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import {
  syncWordpressAddressesAndSchedule,
  wordpressLocation,
} from '#projects/operations/sync_wordpress_addresses_and_schedule'
import { hasHostPorts } from '#projects/states/project'
import { previewSiteFileName } from '#projects/virtual_host/site_to_serve'
import {
  siteDomainNames,
  sitePort,
  type VirtualHost,
  virtualHostTypes,
} from '#projects/virtual_host/virtual_host_types'
import logger from '@adonisjs/core/services/logger'

export interface ServeVirtualHostInput extends ProjectOperationInput {
  /** The previous site. It is restored if the operation fails. */
  before: { virtualHost: VirtualHost | null; siteFile: string | null }
}

export const serveVirtualHostOperation = defineOperation<ServeVirtualHostInput>({
  kind: 'project.virtual_host',
  queue: 'guest',
  steps: [
    {
      key: 'software',
      label: 'Install the required software',
      async run(input, context) {
        const { project, machine } = await loadProjectAndMachine(input)
        const { virtualHost: host } = project
        if (host && virtualHostTypes[host.type].php)
          await installPhp(machine, stepCommandOptions(context))
        if (project.stack === 'wordpress') {
          await upgradeOldWordpressSetup(
            machine,
            wordpressLocation(project),
            stepCommandOptions(context)
          )
        }
      },
    },
    {
      key: 'site',
      label: 'Write, test and load the configuration',
      async run(input) {
        const { project, machine } = await loadProjectAndMachine(input)
        await syncProjectSite(
          project,
          machine,
          input.before.siteFile ?? previewSiteFileName(project)
        )
      },
    },
    {
      key: 'answer',
      label: 'Check the site',
      async run(input, { reportProgress }) {
        const { project, machine } = await loadProjectAndMachine(input)
        const { virtualHost: host, siteFile, status } = project
        // Does not check the site if an app behind the proxy serves it, because the app may be started later.
        if (!host || !siteFile || status !== 'active' || virtualHostTypes[host.type].proxy) return
        const url = `http://127.0.0.1:${host.url_port ?? 80}/`
        const answered = await waitForHttpAnswer(machine, url, {
          ...(host.subdomain && { host: host.subdomain }),
          // Also accepts 5xx: they may be errors of the site's own program, which the owner must see. If this step
          // failed, the site's configuration would be removed.
          below: 600,
        })
        await reportProgress(`The site answers with status ${answered}.`)
      },
    },
    {
      key: 'address',
      label: 'Update the domain and port',
      async run({ projectId, before }, { reportProgress }) {
        const { project, machine } = await loadProjectAndMachine({ projectId })
        const { instance, virtualHost: host, siteFile } = project
        const port = host && sitePort(host)
        const old = before.virtualHost && sitePort(before.virtualHost)
        if (port && hasHostPorts(instance) && project.status === 'active') {
          const outer = await openHostPort(instance, port)
          // If the app listens only on loopback, port forwarding by the kernel cannot reach it.
          const isDeaf = !siteFile && !(await listensPubliclyOrNotYet(machine, port))
          if (isDeaf && !(await isUrlAnswering(`http://${instance.ip}:${outer}/`))) {
            if (port !== old) await closeProjectPort(project, port)
            throw appListensOnLoopbackOnly(port)
          }
          await reportProgress(`The site is reachable at port ${outer} of ${instance.ip}.`)
        }
        if (old && old !== port) await closeProjectPort(project, old)
        const { previewPort: preview } = project
        if (preview && preview !== port) await closeProjectPort(project, preview)
        await syncWordpressAddressesAndSchedule(project, machine)
        // This comes last: if the operation fails, the project still needs its claims of these domains.
        await removeDomainClaims(project, omittedNames(before.virtualHost, host))
        await project.merge({ siteError: null, previewPort: null }).save()
      },
    },
  ],
  async failed({ projectId, before }, reason) {
    const project = await Project.query().where('id', projectId).preload('instance').firstOrFail()
    const { virtualHost, siteFile } = project
    await removeDomainClaims(project, omittedNames(virtualHost, before.virtualHost))
    await project.merge({ ...before, siteError: reason }).save()
    // If a step after `site` failed, the new site file must be removed. If the machine is unreachable, nothing can be
    // undone.
    await undo(project, siteFile).catch((error: unknown) =>
      logger.warn(
        { err: error, project: projectId },
        'the previous configuration of a site could not be restored'
      )
    )
  },
})

/** Returns the domains of the first virtual host that are missing in the second one. */
function omittedNames(one: VirtualHost | null, other: VirtualHost | null): string[] {
  const kept = new Set(siteDomainNames(other))
  return siteDomainNames(one).filter((name) => !kept.has(name))
}

async function undo(project: Project, file: string | null): Promise<void> {
  const machine = await connectToActiveInstance(project.instance)
  await syncProjectSite(project, machine, file)
  await syncWordpressAddressesAndSchedule(project, machine)
}
