import type { OperationView } from '#core/contracts/operation_view'

export interface ChangeMessage {
  /** Nouns and ids of changed records. `null`: everything on the page may be outdated. */
  changed: string[] | null
  /** Topics of short-lived events, such as typing or viewing. */
  passing: string[]
  operations: OperationView[]
}
