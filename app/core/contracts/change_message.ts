import type { OperationView } from '#core/contracts/operation_view'

/** Sent on the event stream of each page. */
export interface ChangeMessage {
  /** Nouns and ids; `null`: everything on the page may be outdated. */
  changed: string[] | null
  /** Topics of momentary events, such as typing or viewing. */
  passing: string[]
  /** Current state of the operations in `changed`. */
  operations: OperationView[]
}
