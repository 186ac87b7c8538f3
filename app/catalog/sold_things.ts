/** SQL about a thing that is paid for, where its id stands in this column. */
interface SoldThing {
  /** What it is called. */
  name(column: string): string
  /** Whether its owner ever got it. */
  delivered(column: string): string
}

const kinds = new Map<string, SoldThing>()

/** A domain says what bills call its things, by the noun of subscriptions and usage events. */
export function sellThings(noun: string, thing: SoldThing): void {
  kinds.set(noun, thing)
}

function choose(noun: string, unknown: string, each: (kind: SoldThing) => string): string {
  if (kinds.size === 0) return unknown
  const cases = [...kinds].map(([key, kind]) => `when '${key}' then ${each(kind)}`)
  return `(case ${noun} ${cases.join(' ')} else ${unknown} end)`
}

/** SQL of the name of a thing whose noun and id stand in these columns; its number where nobody knows it. */
export function soldName(noun: string, id: string): string {
  const number = `${noun} || ' ' || ${id}`
  return choose(noun, number, (kind) => `coalesce(${kind.name(id)}, ${number})`)
}

/** SQL of whether it was ever delivered. */
export function soldDelivered(noun: string, id: string): string {
  return choose(noun, 'true', (kind) => kind.delivered(id))
}
