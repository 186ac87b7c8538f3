import type { Outgoing, OutgoingDeps } from '../outgoing.js'

/** Starts everything that brings mail out. */
export function startOutgoing(deps: OutgoingDeps): Promise<Outgoing> {
  throw new Error(`Not yet: ${deps.options.publicUrl}`)
}
