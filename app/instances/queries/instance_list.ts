import { customerName, customerWords } from '#accounts/public'
import type { Actor } from '#core/contracts/actor'
import {
  begins,
  holds,
  type ListDefinition,
  type ListFacts,
  listPage,
  listRequest,
} from '#core/list_page'
import ServerInstance, { instanceStatuses } from '#instances/models/server_instance'
import { recordsOf } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

const host = '(select name from host_instances where id = server_instances.host_instance_id)'

const sorts = {
  name: 'lower(name)',
  status: 'status',
  // By its numbers, each in three digits: .9 comes before .10.
  ip: String.raw`regexp_replace(regexp_replace(ip, '(\d+)', '00\1', 'g'), '0*(\d{3})', '\1', 'g')`,
}

const own: ListDefinition = {
  statuses: instanceStatuses,
  // What is gone is there where it is asked for.
  apart: ['deleted'],
  sorts,
  search: begins('name', 'ip'),
}

const everybodys: ListDefinition = {
  ...own,
  // Staff look for what is gone as well as for what is there.
  apart: [],
  sorts: {
    ...sorts,
    customer: `lower(${customerName('server_instances.account_id')})`,
    host: `lower(${host})`,
  },
  search: holds('name', 'ip', host, customerWords('server_instances.account_id')),
}

/** The page of instances that is asked for: a customer's own, or everybody's for staff. */
export function listedFor(
  ctx: HttpContext,
  actor: Actor
): Promise<ListFacts & { rows: ServerInstance[] }> {
  const list = actor.audience === 'staff' ? everybodys : own
  const query = recordsOf(actor).preload('package').preload('packageVersion').preload('host')
  return listPage<ServerInstance>(query, listRequest(ctx, list), list)
}
