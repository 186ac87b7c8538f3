import { addResources } from '#accounts/public'
import { defineModule } from '#core/modules'
import { newestMatching } from '#core/global_search'
import { containsIndexed } from '#core/list_page'
import { registerInstanceResource, registerVariablesReceiver } from '#guest/public'
import { onInstanceDeleted, onInstanceRestored } from '#instances/public'
import { deleteProjectsOn } from '#projects/actions/delete_projects'
import { addVariablesToProject, listProjectsForVariables } from '#projects/actions/add_variables'
import { auditMessages } from '#projects/audit_messages'
import { setUpProject } from '#projects/operations/set_up'
import { buildProcess, startScript } from '#projects/operations/start_process'
import { applyProjectStatus } from '#projects/operations/status'
import { serveVirtualHost } from '#projects/operations/virtual_host'
import {
  countProjects,
  findProject,
  liveProjectsVisibleTo,
  listProjectsOfAccount,
} from '#projects/queries/projects'
import keepWebServers, { forgetWebServer } from '#projects/schedules/keep_web_servers'
import { listNewestProjects } from '#projects/transformers/project'

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
    ...Object.values(setUpProject),
    buildProcess,
    startScript,
    applyProjectStatus,
    serveVirtualHost,
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
  dashboard: [{ label: 'Total Projects', href: PROJECTS_PAGE, order: 20, count: countProjects }],
  firstSteps: [
    {
      label: 'Add a site',
      action: 'Add New Project',
      order: 20,
      hint: 'Static files, PHP, WordPress or Node. Your site is online as soon as it is set up.',
      href: `${PROJECTS_PAGE}?add=1`,
      needs: 'machines.use',
      done: async (accountId) => (await countProjects(accountId)) > 0,
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
      async of(actor, words, most) {
        const rows = await newestMatching(
          liveProjectsVisibleTo(actor),
          containsIndexed('name', 'path')(words),
          most
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
  auditWords: auditMessages,
  sampleData: () => import('#projects/sample_data'),
  bind() {
    registerInstanceResource(
      'project',
      async (actor, id) => (await findProject(actor, id)).serverInstanceId
    )
    registerVariablesReceiver('project', {
      list: listProjectsForVariables,
      give: addVariablesToProject,
    })
    addResources({ label: 'Projects', of: listProjectsOfAccount })
    onInstanceDeleted(({ id }) => deleteProjectsOn(id))
    onInstanceRestored(forgetWebServer)
  },
})
