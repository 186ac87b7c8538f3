import type { OperationView } from '#core/contracts/operation_view'

export interface ChangeMessage {
  /** Topics (noun and id) of changed records. `null`: any data on the page may be outdated. */
  changed: string[] | null
  /** Topics of short-lived events, such as typing or viewing. */
  passing: string[]
  operations: OperationView[]
}
