/** `stuck`: repeated errors that no step expected. Staff must act. */
export type OperationStatus = 'queued' | 'running' | 'stuck' | 'done' | 'failed'

export interface StepState {
  key: string
  label: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  /** ISO times. */
  startedAt?: string
  endedAt?: string
  /** Current activity within the step, as text for people. */
  note?: string
  /** From 0 to 1, if known. */
  progress?: number
}

/** An operation as pages receive it. */
export interface OperationView {
  id: string
  kind: string
  title: string
  subject: { type: string; id: string }
  status: OperationStatus
  /** Whether it can be cancelled, or cancellation was requested (`asked`). */
  cancel: 'no' | 'possible' | 'asked'
  steps: StepState[]
  result: Record<string, unknown> | null
  error: string | null
  /** ISO times. */
  createdAt: string | null
  endedAt: string | null
}
