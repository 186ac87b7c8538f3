import type { OperationView } from '#core/models/operation'

/** A message of the stream that each page listens on. */
export interface Changes {
  /** Nouns and ids of what changed; null where nobody knows: whatever is shown may be old. */
  changed: string[] | null
  /** How far the work among it is. */
  operations: OperationView[]
}
