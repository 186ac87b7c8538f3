import type { AccountResourceRow } from '#accounts/public'
import ServerInstance from '#instances/models/server_instance'

export async function listChoicesOfDefaultInstance(
  accountId: number
): Promise<{ id: number; name: string }[]> {
  const instances = await ServerInstance.live().where({ accountId }).orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

/** Newest first, for the staff's page about the customer. */
export async function listInstancesOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await ServerInstance.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status }) => ({
    id,
    name,
    status,
    href: `/admin/server-instance/${id}`,
  }))
}
