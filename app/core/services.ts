import type { Actor } from '#core/contracts/actor'

/**
 * What core needs of domains above it, bound by providers (decision 0001: upward needs are
 * contracts in core).
 */
export interface Services {
  /** More about the signed-in person for every page: title, default instance, abilities. */
  describeActor?(actor: Actor): Promise<Record<string, unknown>>
  /** What this person cannot do, each with its reason; pages disable by it. */
  unavailableTo?(actor: Actor): Record<string, string>
  /** What people are called. */
  namesOf?(ids: number[]): Promise<Map<number, string>>
}

export const services: Services = {}
