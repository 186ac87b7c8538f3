import { addThings } from '#accounts/public'
import { defineDomain } from '#core/domains'
import { newestWith } from '#core/find'
import { has } from '#core/list_page'
import { livesOn, takesVariables } from '#guest/public'
import { onInstanceDeleted } from '#instances/public'
import { endProjectsOn } from '#projects/actions/end_projects'
import { giveToProject, projectsTaking } from '#projects/actions/give_variables'
import { auditWords } from '#projects/audit_words'
import { setUpProject } from '#projects/operations/set_up'
import { buildProcess, startScript } from '#projects/operations/start_process'
import { followStatus } from '#projects/operations/status'
import { serveVirtualHost } from '#projects/operations/virtual_host'
import {
  countProjects,
  findProject,
  liveProjectsOf,
  projectsOwnedBy,
} from '#projects/queries/projects'
import keepWebServers from '#projects/schedules/keep_web_servers'
import { newestProjects } from '#projects/transformers/project'

declare module '#core/domains' {
  interface AuditSubjects {
    project: true
  }
}

const PROJECTS_PAGE = '/project/list'

export default defineDomain({
  name: 'projects',
  routes: () => import('#projects/routes'),
  operations: [
    ...Object.values(setUpProject),
    buildProcess,
    startScript,
    followStatus,
    serveVirtualHost,
  ],
  schedules: [keepWebServers],
  menu: {
    customer: [
      {
        ...{ label: 'Projects / Sites', href: PROJECTS_PAGE, icon: 'site', order: 50 },
        ...{ needs: 'machines.use', add: 'Add New Project' },
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
      ...{ label: 'Put a site on it', action: 'Add New Project', order: 20 },
      hint: 'Static files, PHP, WordPress or Node. Its address answers as soon as it is set up.',
      ...{ href: `${PROJECTS_PAGE}?add=1`, needs: 'machines.use' },
      done: async (accountId) => (await countProjects(accountId)) > 0,
    },
  ],
  overview: [
    {
      ...{ label: 'Projects / Sites', href: PROJECTS_PAGE, order: 20, needs: 'machines.use' },
      rows: newestProjects,
    },
  ],
  find: [
    {
      ...{ kind: 'Project', needs: 'machines.use' },
      async of(actor, words, most) {
        const rows = await newestWith(liveProjectsOf(actor), has('name', 'path')(words), most)
        const prefix = actor.audience === 'staff' ? '/admin' : ''
        return rows.map(({ id, name, path }) => ({
          ...{ name, detail: path },
          href: `${prefix}/project/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { project: 'Projects' },
  auditWords,
  sampleData: () => import('#projects/sample_data'),
  bind() {
    livesOn('project', async (actor, id) => (await findProject(actor, id)).serverInstanceId)
    takesVariables('project', { list: projectsTaking, give: giveToProject })
    addThings({ label: 'Projects', of: projectsOwnedBy })
    onInstanceDeleted(({ id }) => endProjectsOn(id))
  },
})
