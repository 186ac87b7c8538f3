import { removeDomainClaim } from '#edge/public'
import { openHostPort } from '#instances/public'
import { defineOperation } from '#core/operations/operations'
import { saveProjectError } from '#projects/operations/set_up'
import {
  closeProjectPort,
  isPathOrFileUsedByOtherProject,
  openPreviewPort,
  type ProjectOperationInput,
  loadProjectAndMachine,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import { syncProjectWordpress } from '#projects/operations/sync_project_wordpress'
import Project from '#projects/models/project'
import { findProjectOfProcess } from '#projects/pm2/process_views'
import { runProcessAction } from '#projects/pm2/process_actions'
import { type Pm2Process, loadProcesses } from '#projects/pm2/processes'
import { forwardedInstancePort } from '#projects/virtual_host/site_to_serve'
import { hasHostPorts } from '#projects/states/project'
import type { Machine } from '#packages/machine/main'

/** Makes the machine follow a project's new status: what is not active neither serves nor runs. */
export const applyProjectStatusOperation = defineOperation<ProjectOperationInput>({
  kind: 'project.status',
  queue: 'guest',
  steps: [
    {
      key: 'site',
      label: 'Update the web server',
      async run(input) {
        const { project, machine } = await loadProjectAndMachine(input)
        try {
          await syncProjectSite(project, machine, null)
        } catch (error) {
          // A web server that its owner broke must not keep a suspended app running.
          if (project.status !== 'active') await applyStatusToProcesses(project, machine)
          throw error
        }
      },
    },
    {
      key: 'processes',
      label: 'Start or stop the processes',
      async run(input) {
        const { project, machine } = await loadProjectAndMachine(input)
        await applyStatusToProcesses(project, machine)
      },
    },
    {
      key: 'address',
      label: 'Update the domain and port',
      async run(input) {
        const { project, machine } = await loadProjectAndMachine(input)
        const { instance, status, siteFile, virtualHost: host } = project
        const port = forwardedInstancePort(project)
        if (status === 'active' && host && port && hasHostPorts(instance))
          await openHostPort(instance, port)
        if (status === 'active') await openPreviewPort(project)
        // The host port may have changed when it was opened again.
        if (status === 'active') await syncProjectWordpress(project, machine)
        if (status === 'deleted' && host) {
          const isOurs = !siteFile || !(await isPathOrFileUsedByOtherProject(project, { siteFile }))
          if (host.subdomain && isOurs) await removeDomainClaim(instance, host.subdomain)
        }
        if (status === 'deleted' && port) await closeProjectPort(project, port)
        // What is deleted for good has no use for its secrets.
        if (status === 'deleted') project.merge({ environment: {}, wordpressAdmin: null })
        await project.merge({ siteError: null }).save()
      },
    },
  ],
  failed: ({ projectId }, reason) => saveProjectError(projectId, reason),
})

/** Starts, stops or deletes the processes of a project, as its status says, but not those of projects inside its folder. */
export async function applyStatusToProcesses(project: Project, machine: Machine): Promise<void> {
  if (project.status !== 'active') await syncProjectWordpress(project, machine)
  if (await isPathOrFileUsedByOtherProject(project, { path: project.path })) return
  const all = await loadProcesses(machine)
  const { id, serverInstanceId } = project
  const others = await Project.live().where({ serverInstanceId }).whereNot('id', id)
  const mine = all.filter(
    (process) => findProjectOfProcess(process, [project, ...others])?.id === id
  )
  if (project.status === 'deleted') return runProcessAction(machine, 'delete', mine)
  const rests = ({ pm2_env: { status } }: Pm2Process) =>
    status === 'stopped' || status === 'errored'
  const running = mine.filter((process) => !rests(process))
  const resting = mine.filter(rests)
  if (project.status === 'active') await runProcessAction(machine, 'start', resting)
  else await runProcessAction(machine, 'stop', running)
}
