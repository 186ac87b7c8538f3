import type { OperationView } from '#core/contracts/operation_view'

/** A message of the event stream that each page listens to. */
export interface ChangeMessage {
  /** Nouns and ids of what changed; `null` if unknown: everything on the page may be outdated. */
  changed: string[] | null
  /** Topics of momentary events, such as typing or viewing. */
  passing: string[]
  /** Current state of the operations in `changed`. */
  operations: OperationView[]
}
