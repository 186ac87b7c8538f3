/** Everything of projects that the worker (and tests) must know, and what it tells others. */
import '#projects/sample_data'
import '#projects/operations/set_up'
import '#projects/operations/start_process'
import '#projects/operations/status'
import '#projects/operations/virtual_host'
import { addThings } from '#accounts/public'
import { onInstanceDeleted } from '#instances/public'
import { countOnDashboard } from '#core/contracts/dashboard_counts'
import { projectPlaces } from '#core/contracts/project_places'
import Project from '#projects/models/project'
import { findProject } from '#projects/queries/projects'

projectPlaces.find = findProject

addThings({
  label: 'Projects',
  async of(accountId) {
    const rows = await Project.query()
      .where({ accountId })
      .whereNot('status', 'deleted')
      .orderBy('id', 'desc')
    return rows.map(({ id, name, status }) => ({
      ...{ id, name, status },
      href: `/admin/project/${id}`,
    }))
  },
})

onInstanceDeleted(async ({ id }) => {
  await Project.query()
    .where('serverInstanceId', id)
    .update({ status: 'deleted', environment: null })
})

countOnDashboard('projects', async (accountId) => {
  const [row] = await Project.query()
    .where('accountId', accountId)
    .whereNot('status', 'deleted')
    .count('* as total')
  return Number(row.$extras.total)
})
