/** SQL expressions about a sold resource. `column` is the column with its id. */
interface SoldResource {
  name(column: string): string
  /** Whether the resource was ever delivered to its owner. */
  delivered(column: string): string
}

const soldResourceKinds = new Map<string, SoldResource>()

/** Registers how billing names a module's resources. `noun` is the type in subscriptions and usage events. */
export function registerSoldResourceKind(noun: string, resource: SoldResource): void {
  soldResourceKinds.set(noun, resource)
}

function caseSql(noun: string, unknown: string, each: (kind: SoldResource) => string): string {
  if (soldResourceKinds.size === 0) return unknown
  const cases = [...soldResourceKinds].map(([key, kind]) => `when '${key}' then ${each(kind)}`)
  return `(case ${noun} ${cases.join(' ')} else ${unknown} end)`
}

/**
 * Returns SQL for the name of a resource; its type and id are in these columns. Falls back to the id if the
 * name is unknown.
 */
export function soldResourceNameSql(noun: string, id: string): string {
  const number = `${noun} || ' ' || ${id}`
  return caseSql(noun, number, (kind) => `coalesce(${kind.name(id)}, ${number})`)
}

export function soldResourceDeliveredSql(noun: string, id: string): string {
  return caseSql(noun, 'true', (kind) => kind.delivered(id))
}
