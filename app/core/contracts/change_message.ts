import type { OperationView } from '#core/models/operation'

/** A message of the stream that each page listens on. */
export interface ChangeMessage {
  /** Nouns and ids of what changed; null where nobody knows: whatever is shown may be old. */
  changed: string[] | null
  /** What is so at this moment only: who types, who looks. */
  passing: string[]
  /** How far the work among it is. */
  operations: OperationView[]
}
