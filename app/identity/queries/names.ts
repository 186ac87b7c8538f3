import Person from '#identity/models/person'

/** What people are called, by their ids. */
export async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const people = await Person.query().whereIn('id', ids).select('id', 'name')
  return new Map(people.map(({ id, name }) => [id, name]))
}
