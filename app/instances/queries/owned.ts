import ServerInstance from '#instances/models/server_instance'

/** What a customer can make the default instance, by name. */
export async function instanceChoices(customerId: number): Promise<{ id: number; name: string }[]> {
  const instances = await ServerInstance.query()
    .where({ customerId })
    .whereNot('status', 'deleted')
    .orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

/** How many instances a customer has. */
export async function countInstances(customerId: number): Promise<number> {
  const row = await ServerInstance.query()
    .where({ customerId })
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}
