import { closePort, releaseDomain } from '#compute/public'
import { defineOperation } from '#core/operations/operations'
import { noteError } from '#projects/operations/set_up'
import { isElsewhere, type ProjectWork, reach, serveSite } from '#projects/operations/reach'
import { hasPorts } from '#projects/operations/virtual_host'
import { actOn } from '#projects/pm2/actions'
import { belongsTo, type KnownProcess, processesOn } from '#projects/pm2/processes'

/** Makes the machine follow a project's new status: what is not active neither serves nor runs. */
export const followStatus = defineOperation<ProjectWork>({
  kind: 'project.status',
  steps: [
    {
      key: 'site',
      label: 'Change the site',
      async run(input) {
        const { project, machine } = await reach(input)
        if (project.siteFile) await serveSite(project, machine, null)
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
        if (status === 'deleted' && siteFile && !(await isElsewhere(project, { siteFile }))) {
          if (host?.subdomain) await releaseDomain(instance, host.subdomain)
          if (host?.url_port && hasPorts(instance)) await closePort(instance, host.url_port)
        }
        // What is deleted for good has no use for its secrets.
        if (status === 'deleted') project.environment = {}
        await project.merge({ siteError: null }).save()
      },
    },
  ],
  failed: ({ projectId }, reason) => noteError(projectId, reason),
})
