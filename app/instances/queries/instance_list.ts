import { customerNameSql, customerSearchTextSql } from '#accounts/public'
import type { Actor } from '#core/contracts/actor'
import {
  startsWith,
  searchAnywhereIn,
  type ListDefinition,
  type ListMeta,
  queryListPage,
  parseListRequest,
} from '#core/list_page'
import ServerInstance, { instanceStatuses } from '#instances/models/server_instance'
import { instancesAndDeletedVisibleTo } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

const host = '(select name from host_instances where id = server_instances.host_instance_id)'

const sorts = {
  name: 'lower(name)',
  status: 'status',
  // Sorts IP addresses by number: pads each part to three digits, so that .9 comes before .10.
  ip: String.raw`regexp_replace(regexp_replace(ip, '(\d+)', '00\1', 'g'), '0*(\d{3})', '\1', 'g')`,
}

const ownInstancesList: ListDefinition = {
  statuses: instanceStatuses,
  apart: ['deleted'],
  sorts,
  search: startsWith('name', 'ip'),
}

const allInstancesList: ListDefinition = {
  ...ownInstancesList,
  // Empty: without a filter, staff see instances of all statuses, also deleted ones. Customers see deleted ones only
  // with a filter.
  apart: [],
  sorts: {
    ...sorts,
    customer: `lower(${customerNameSql('server_instances.account_id')})`,
    host: `lower(${host})`,
  },
  search: searchAnywhereIn(
    'name',
    'ip',
    host,
    customerSearchTextSql('server_instances.account_id')
  ),
}

/** Customers see their own instances, staff all. */
export function listInstances(
  ctx: HttpContext,
  actor: Actor
): Promise<ListMeta & { rows: ServerInstance[] }> {
  const list = actor.audience === 'staff' ? allInstancesList : ownInstancesList
  const query = instancesAndDeletedVisibleTo(actor)
    .preload('package')
    .preload('packageVersion')
    .preload('host')
  return queryListPage<ServerInstance>(query, parseListRequest(ctx, list), list)
}
