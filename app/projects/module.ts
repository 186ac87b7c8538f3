import { registerAccountResourceKind } from '#accounts/public'
import { defineModule } from '#core/modules'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { onDomainsAdded } from '#edge/public'
import { registerInstanceLookup, registerEnvironmentReceiver } from '#guest/public'
import { beforeInstanceDeletion, onInstanceRestored } from '#instances/public'
import { markProjectsOfInstanceDeleted } from '#projects/actions/mark_projects_of_instance_deleted'
import { addVariablesToProject, listLiveProjects } from '#projects/actions/add_variables'
import { auditMessages } from '#projects/audit_messages'
import { projectSetupOperations } from '#projects/operations/set_up'
import {
  appBuildAndStartOperation,
  commandStartOperation,
  scriptStartOperation,
} from '#projects/operations/start_process'
import { applyProjectStatusOperation } from '#projects/operations/apply_project_status'
import { serveVirtualHostOperation } from '#projects/operations/serve_virtual_host'
import {
  countProjectsOfAccount,
  getProject,
  liveProjectsVisibleTo,
  listProjectsOfAccount,
} from '#projects/queries/projects'
import keepWebServers, { scheduleWebServerUpdate } from '#projects/schedules/update_web_servers'
import { listNewestProjects } from '#projects/transformers/project'
import { restoreDomainRoutes } from '#projects/virtual_host/domain_routes'

declare module '#core/modules' {
  interface AuditSubjects {
    project: true
  }
}

const PROJECTS_PAGE = '/project/list'

export default defineModule({
  name: 'projects',
  routes: () => import('#projects/routes'),
  operations: [
    ...Object.values(projectSetupOperations),
    appBuildAndStartOperation,
    commandStartOperation,
    scriptStartOperation,
    applyProjectStatusOperation,
    serveVirtualHostOperation,
  ],
  schedules: [keepWebServers],
  menu: {
    customer: [
      {
        label: 'Projects / Sites',
        href: PROJECTS_PAGE,
        icon: 'site',
        order: 50,
        needs: 'machines.use',
        add: 'Add New Project',
      },
    ],
    admin: [
      {
        group: 'Projects',
        icon: 'site',
        label: 'Projects',
        href: `/admin${PROJECTS_PAGE}`,
        order: 40,
      },
    ],
  },
  dashboard: [
    { label: 'Total Projects', href: PROJECTS_PAGE, order: 20, count: countProjectsOfAccount },
  ],
  firstSteps: [
    {
      label: 'Add a site',
      action: 'Add New Project',
      order: 20,
      hint: 'Static files, PHP, WordPress or Node. Your site is online as soon as it is set up.',
      href: `${PROJECTS_PAGE}?add=1`,
      needs: 'machines.use',
      done: async (accountId) => (await countProjectsOfAccount(accountId)) > 0,
    },
  ],
  overview: [
    {
      label: 'Projects / Sites',
      href: PROJECTS_PAGE,
      order: 20,
      needs: 'machines.use',
      rows: listNewestProjects,
    },
  ],
  find: [
    {
      kind: 'Project',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const rows = await queryNewestMatching(
          liveProjectsVisibleTo(actor),
          containsOrStartsWith('name', 'path')(text),
          limit
        )
        const prefix = actor.audience === 'staff' ? '/admin' : ''
        return rows.map(({ id, name, path }) => ({
          name,
          detail: path,
          href: `${prefix}/project/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { project: 'Projects' },
  auditMessages,
  sampleData: () => import('#projects/sample_data'),
  bind() {
    registerInstanceLookup(
      'project',
      async (actor, id) => (await getProject(actor, id)).serverInstanceId
    )
    registerEnvironmentReceiver('project', {
      list: listLiveProjects,
      give: addVariablesToProject,
    })
    registerAccountResourceKind({ label: 'Projects', of: listProjectsOfAccount })
    beforeInstanceDeletion(({ id }) => markProjectsOfInstanceDeleted(id))
    onInstanceRestored('sites', scheduleWebServerUpdate)
    onDomainsAdded(restoreDomainRoutes)
  },
})
