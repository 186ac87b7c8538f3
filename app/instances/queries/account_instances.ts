import type { AccountResourceRow } from '#accounts/public'
import ServerInstance from '#instances/models/server_instance'

/** What a customer can make the default instance, by name. */
export async function listDefaultInstanceChoices(
  accountId: number
): Promise<{ id: number; name: string }[]> {
  const instances = await ServerInstance.live().where({ accountId }).orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

/** The instances of an account, newest first, for staff's page of it. */
export async function listInstancesOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await ServerInstance.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status }) => ({
    id,
    name,
    status,
    href: `/admin/server-instance/${id}`,
  }))
}
