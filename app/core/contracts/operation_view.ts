/** `stuck`: a step failed unexpectedly, or the worker died in it, several times. Staff must act. */
export type OperationStatus = 'queued' | 'running' | 'stuck' | 'done' | 'failed'

export interface StepState {
  key: string
  label: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  /** ISO time. */
  startedAt?: string
  endedAt?: string
  note?: string
  /** Completed part of the step, from 0 to 1. Absent if unknown. */
  progress?: number
}

export interface OperationView {
  id: string
  kind: string
  title: string
  subject: { type: string; id: string }
  status: OperationStatus
  /** `no`: people cannot cancel the operation. `possible`: they can. `asked`: a person has requested it. */
  cancel: 'no' | 'possible' | 'asked'
  steps: StepState[]
  result: Record<string, unknown> | null
  error: string | null
  /** Times in ISO format. */
  createdAt: string | null
  endedAt: string | null
}
