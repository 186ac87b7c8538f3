import type { OperationView } from '#core/contracts/operation_view'

export interface ChangeMessage {
  /** Topics of changed records, such as `project:5`. `null`: any data on the page may be outdated. */
  changed: string[] | null
  /** Topics of events that change no record, such as that a person types. */
  passing: string[]
  operations: OperationView[]
}
