/** SQL about a thing that is paid for, where its id stands in this column. */
interface SoldResource {
  /** Name of the resource. */
  name(column: string): string
  /** Whether its owner ever got it. */
  delivered(column: string): string
}

const soldResourceKinds = new Map<string, SoldResource>()

/** A domain says what bills call its things, by the noun of subscriptions and usage events. */
export function registerSoldResourceKind(noun: string, resource: SoldResource): void {
  soldResourceKinds.set(noun, resource)
}

function caseSql(noun: string, unknown: string, each: (kind: SoldResource) => string): string {
  if (soldResourceKinds.size === 0) return unknown
  const cases = [...soldResourceKinds].map(([key, kind]) => `when '${key}' then ${each(kind)}`)
  return `(case ${noun} ${cases.join(' ')} else ${unknown} end)`
}

/** SQL of the name of a thing whose noun and id stand in these columns; its number where nobody knows it. */
export function soldResourceNameSql(noun: string, id: string): string {
  const number = `${noun} || ' ' || ${id}`
  return caseSql(noun, number, (kind) => `coalesce(${kind.name(id)}, ${number})`)
}

/** SQL of whether it was ever delivered. */
export function soldResourceDeliveredSql(noun: string, id: string): string {
  return caseSql(noun, 'true', (kind) => kind.delivered(id))
}
