import { Refusal } from '#core/refusal'
import env from '#start/env'

/** The id of the control machine that this process runs on (docs/decisions/0018). */
export function thisMachine(): string {
  return env.get('MACHINE_ID')
}

/**
 * Thrown where something can be done from another control machine alone. Work that meets it waits for
 * that machine's worker; whoever asks on a page is refused.
 */
export class Elsewhere extends Refusal {
  constructor(
    readonly machineId: string,
    words: string
  ) {
    super('elsewhere', 503, words)
  }
}
