/** Functions that return SQL expressions. `column` is the column with the resource's id. */
interface SoldResource {
  name(column: string): string
  delivered(column: string): string
}

const soldResourceKinds = new Map<string, SoldResource>()

export function registerSoldResourceKind(noun: string, resource: SoldResource): void {
  soldResourceKinds.set(noun, resource)
}

function caseSql(noun: string, unknown: string, each: (kind: SoldResource) => string): string {
  if (soldResourceKinds.size === 0) return unknown
  const cases = [...soldResourceKinds].map(([key, kind]) => `when '${key}' then ${each(kind)}`)
  return `(case ${noun} ${cases.join(' ')} else ${unknown} end)`
}

/** Returns SQL for a resource's name, or for its type and id if it has no name. */
export function soldResourceNameSql(noun: string, id: string): string {
  const number = `${noun} || ' ' || ${id}`
  return caseSql(noun, number, (kind) => `coalesce(${kind.name(id)}, ${number})`)
}

export function soldResourceDeliveredSql(noun: string, id: string): string {
  return caseSql(noun, 'true', (kind) => kind.delivered(id))
}
