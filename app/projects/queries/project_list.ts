import { customerName, customersOf, ofCustomer } from '#accounts/public'
import type { Actor } from '#core/contracts/actor'
import type { CustomerFacts } from '#core/contracts/customer_facts'
import { among, any, has, type ListDefinition } from '#core/list_page'
import type Project from '#projects/models/project'
import { projectStatuses } from '#projects/statuses'

const ofServer = (column: string) =>
  `(select ${column} from server_instances where id = projects.server_instance_id)`
const own = has('name', 'path', `(virtual_host ->> 'subdomain')`)
const byServer = among('server_instance_id', (text) => {
  const { sql, bindings } = has('name', 'ip')(text)
  return { sql: `select id from server_instances where ${sql}`, bindings }
})
const sorts = {
  name: 'lower(name)',
  stack: 'stack',
  server: `lower(${ofServer('name')})`,
  path: 'path',
  status: 'status',
}

/** The list of projects: staff find and sort them by their customers too. */
export function projectList({ audience }: Actor): ListDefinition {
  const list = { statuses: projectStatuses, sorts, search: any(own, byServer) }
  if (audience !== 'staff') return list
  return {
    ...list,
    sorts: { ...sorts, customer: `lower(${customerName('projects.account_id')})` },
    search: any(own, byServer, ofCustomer('projects.account_id')),
    counted: { list: 'projects', scope: '' },
    walked: ['name', 'stack', 'path', 'status'],
  }
}

/** Whose the projects are; told to staff only. */
export async function customersFor(
  { audience }: Actor,
  rows: Project[]
): Promise<Map<number, CustomerFacts>> {
  if (audience !== 'staff') return new Map()
  return customersOf(rows.map(({ accountId }) => accountId))
}
