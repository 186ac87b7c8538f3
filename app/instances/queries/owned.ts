import type { Thing } from '#accounts/public'
import ServerInstance from '#instances/models/server_instance'

/** What a customer can make the default instance, by name. */
export async function instanceChoices(accountId: number): Promise<{ id: number; name: string }[]> {
  const instances = await ServerInstance.query()
    .where({ accountId })
    .whereNot('status', 'deleted')
    .orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

/** How many instances an account has. */
export async function countInstances(accountId: number): Promise<number> {
  const row = await ServerInstance.query()
    .where({ accountId })
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}

/** The instances of an account, newest first, for staff's page of it. */
export async function instancesOwnedBy(accountId: number): Promise<Thing[]> {
  const rows = await ServerInstance.query()
    .where({ accountId })
    .whereNot('status', 'deleted')
    .orderBy('id', 'desc')
  return rows.map(({ id, name, status }) => ({
    ...{ id, name, status },
    href: `/admin/server-instance/${id}`,
  }))
}
