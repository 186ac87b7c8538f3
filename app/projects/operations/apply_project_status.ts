import { removeDomainClaims } from '#edge/public'
import { openHostPort } from '#instances/public_effects'
import { defineOperation } from '#core/operations/operations'
import { noteDeletionsInContainer } from '#projects/operations/note_deletions_in_container'
import { saveProjectError } from '#projects/operations/set_up'
import {
  closeProjectPort,
  isPathOrFileUsedByOtherProject,
  openPreviewPort,
  type ProjectOperationInput,
  loadProjectAndMachine,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import { syncWordpressAddressesAndSchedule } from '#projects/operations/sync_wordpress_addresses_and_schedule'
import Project from '#projects/models/project'
import { findProjectOfProcess } from '#projects/pm2/process_views'
import { runProcessAction } from '#projects/pm2/process_actions'
import { type Pm2Process, loadProcesses } from '#projects/pm2/processes'
import { siteDomainNames } from '#projects/virtual_host/virtual_host_types'
import { forwardedInstancePort } from '#projects/virtual_host/site_to_serve'
import { hasHostPorts } from '#projects/states/project'
import type { Machine } from '#packages/machine/main'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/** Only an active project has a site and running processes. */
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
          // Stops the processes before the step fails: those of a suspended project must stop even if the owner broke
          // the web server.
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
        // The host port may have changed when it was opened again, and WordPress stores addresses with it.
        if (status === 'active') await syncWordpressAddressesAndSchedule(project, machine)
        if (status === 'deleted' && host) {
          const isOurs = !siteFile || !(await isPathOrFileUsedByOtherProject(project, { siteFile }))
          const [main, ...others] = siteDomainNames(host)
          await removeDomainClaims(project, isOurs && main ? [main, ...others] : others)
        }
        if (status === 'deleted' && port) await closeProjectPort(project, port)
        // A deleted project needs no secrets, so they are erased.
        if (status === 'deleted') project.merge({ environment: {}, wordpressAdmin: null })
        await project.merge({ siteError: null }).save()
        if (status !== 'deleted') return
        await noteDeletionsInContainer(instance, DateTime.utc(), { finished: project.id }).catch(
          (error: unknown) =>
            logger.warn(
              { err: error, project: project.id },
              'the deletion of a project could not be recorded in the container'
            )
        )
      },
    },
  ],
  failed: ({ projectId }, reason) => saveProjectError(projectId, reason),
})

/**
 * Starts, stops or deletes the project's processes, but not those of projects inside its folder.
 * @returns the number of affected processes
 */
export async function applyStatusToProcesses(project: Project, machine: Machine): Promise<number> {
  if (project.status !== 'active') await syncWordpressAddressesAndSchedule(project, machine)
  if (await isPathOrFileUsedByOtherProject(project, { path: project.path })) return 0
  const all = await loadProcesses(machine)
  const { id, serverInstanceId } = project
  const others = await Project.live().where({ serverInstanceId }).whereNot('id', id)
  const mine = all.filter(
    (process) => findProjectOfProcess(process, [project, ...others])?.id === id
  )
  const rests = ({ pm2_env: { status } }: Pm2Process) =>
    status === 'stopped' || status === 'errored'
  const running = mine.filter((process) => !rests(process))
  const resting = mine.filter(rests)
  const [action, processes] = (
    {
      active: ['start', resting],
      inactive: ['stop', running],
      suspended: ['stop', running],
      deleted: ['delete', mine],
    } as const
  )[project.status]
  await runProcessAction(machine, action, processes)
  return processes.length
}
