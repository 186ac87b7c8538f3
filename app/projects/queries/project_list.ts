import { customerNameSql, loadCustomersById, customerSearchCondition } from '#accounts/public'
import type { Actor } from '#core/contracts/actor'
import type { CustomerSummary } from '#core/contracts/customer_summary'
import { whereInSubquery, anyOf, containsOrStartsWith, type ListDefinition } from '#core/list_page'
import type Project from '#projects/models/project'
import { projectStatuses } from '#projects/statuses'

const ofServer = (column: string) =>
  `(select ${column} from server_instances where id = projects.server_instance_id)`
const own = containsOrStartsWith('name', 'path', `(virtual_host ->> 'subdomain')`)
const byServer = whereInSubquery('server_instance_id', (text) => {
  const { sql, bindings } = containsOrStartsWith('name', 'ip')(text)
  return { sql: `select id from server_instances where ${sql}`, bindings }
})
const sorts = {
  name: 'lower(name)',
  stack: 'stack',
  server: `lower(${ofServer('name')})`,
  path: 'path',
  status: 'status',
}

export function projectListDefinition({ audience }: Actor): ListDefinition {
  const list = { statuses: projectStatuses, sorts, search: anyOf(own, byServer) }
  if (audience !== 'staff') return list
  return {
    ...list,
    sorts: { ...sorts, customer: `lower(${customerNameSql('projects.account_id')})` },
    search: anyOf(own, byServer, customerSearchCondition('projects.account_id')),
    precounted: { list: 'projects', scope: '' },
    indexOrdered: ['name', 'stack', 'path', 'status'],
  }
}

/** By account id. Empty unless the signed-in person is staff. */
export async function loadCustomersOfProjects(
  { audience }: Actor,
  rows: Project[]
): Promise<Map<number, CustomerSummary>> {
  if (audience !== 'staff') return new Map()
  return loadCustomersById(rows.map(({ accountId }) => accountId))
}
