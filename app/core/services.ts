import type { Actor } from '#core/contracts/actor'

/**
 * What core needs of domains above it, which bind it (decision 0001: upward needs are contracts
 * in core).
 */
export interface Services {
  /** What this person cannot do, each with its reason; pages disable by it. */
  unavailableTo?(actor: Actor): Record<string, string>
  /** What people are called. */
  namesOf?(ids: number[]): Promise<Map<number, string>>
}

export const services: Services = {}
