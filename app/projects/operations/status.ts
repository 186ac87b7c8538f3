import { releaseDomain } from '#edge/public'
import { defineOperation } from '#core/operations/operations'
import { noteError } from '#projects/operations/set_up'
import {
  closePortOf,
  isElsewhere,
  type ProjectWork,
  reach,
  serveSite,
} from '#projects/operations/reach'
import { serveWordpress } from '#projects/operations/wordpress'
import { actOn } from '#projects/pm2/actions'
import { belongsTo, type KnownProcess, processesOn } from '#projects/pm2/processes'
import { portOf } from '#projects/virtual_host/rules'

/** Makes the machine follow a project's new status: what is not active neither serves nor runs. */
export const followStatus = defineOperation<ProjectWork>({
  kind: 'project.status',
  lane: 'guest',
  steps: [
    {
      key: 'site',
      label: 'Change the site',
      async run(input) {
        const { project, machine } = await reach(input)
        if (project.siteFile) await serveSite(project, machine, null)
        await serveWordpress(project, machine)
      },
    },
    {
      key: 'processes',
      label: 'Change the processes',
      async run(input) {
        const { project, machine } = await reach(input)
        if (await isElsewhere(project, { path: project.path })) return
        const all = await processesOn(machine)
        const mine = all.filter((process) => belongsTo(process, project.path))
        if (project.status === 'deleted') return actOn(machine, 'delete', mine)
        const rests = ({ pm2_env: { status } }: KnownProcess) =>
          status === 'stopped' || status === 'errored'
        const running = mine.filter((process) => !rests(process))
        const resting = mine.filter(rests)
        if (project.status === 'active') await actOn(machine, 'start', resting)
        else await actOn(machine, 'stop', running)
      },
    },
    {
      key: 'address',
      label: 'Settle the address',
      async run(input) {
        const { project } = await reach(input)
        const { instance, status, siteFile, virtualHost: host } = project
        if (status === 'deleted' && host) {
          const isOurs = !siteFile || !(await isElsewhere(project, { siteFile }))
          if (host.subdomain && isOurs) await releaseDomain(instance, host.subdomain)
          const port = portOf(host)
          if (port) await closePortOf(project, port)
        }
        // What is deleted for good has no use for its secrets.
        if (status === 'deleted') project.environment = {}
        await project.merge({ siteError: null }).save()
      },
    },
  ],
  failed: ({ projectId }, reason) => noteError(projectId, reason),
})
