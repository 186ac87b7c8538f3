import type { ServerQueue } from './server_queue.js'
import { backoffDelayMs } from './retry_schedule.js'
import type { MailRoute } from './mail_route.js'

const ROUTE_CACHE_MS = 300_000

/** A recipient domain: its mail route, and the number of its messages that wait for the route (`held`). */
export class Destination {
  held = 0
  /** Queue of the domain's mail servers. Undefined until the route is known. */
  queue?: ServerQueue
  problem = ''
  #route?: { lookup: Promise<MailRoute>; at: number }
  #failures = 0
  #until = 0

  /** Returns the cached route. If there is none, looks it up. A failed look-up is not cached. */
  route(now: Date, find: () => Promise<MailRoute>): Promise<MailRoute> {
    if (this.#route && this.#route.at + ROUTE_CACHE_MS > now.getTime()) return this.#route.lookup
    const lookup = find()
    this.#route = { lookup, at: now.getTime() }
    lookup.then(
      () => (this.#failures = 0),
      () => (this.#route = undefined)
    )
    return lookup
  }

  failed(now: Date, problem: string): void {
    this.problem = problem
    if (this.isDown(now)) return
    this.#failures++
    this.#until = now.getTime() + backoffDelayMs(this.#failures)
  }

  isDown(now: Date): boolean {
    return now.getTime() < this.#until
  }

  get until(): Date {
    return new Date(this.#until)
  }

  isIdle(now: Date): boolean {
    return (
      this.held === 0 &&
      !this.isDown(now) &&
      (this.#route?.at ?? 0) + ROUTE_CACHE_MS < now.getTime()
    )
  }

  quota(now: Date): number {
    if (this.isDown(now)) return 0
    const limit = this.#failures > 0 ? 1 : this.queue ? this.queue.quota(now) : INITIAL_QUOTA
    return Math.max(0, this.queue ? limit : limit - this.held)
  }
}

/** Maximum messages that this process holds for a destination whose route is not known yet. */
export const INITIAL_QUOTA = 10
