import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** Identifies the request or job for which code runs. */
export interface TraceContext {
  /** Trace ID of W3C Trace Context: 32 hexadecimal digits. Error pages show it as the request number. */
  id: string
  /** ID of the span that becomes the parent of new spans: 16 hexadecimal digits. */
  span?: string
  /** Whether a request of a person is the cause. Absent for schedules and for the operations that they start. */
  isRequest?: true
}

const storage = new AsyncLocalStorage<TraceContext>()

/** Returns undefined outside of requests and jobs. */
export const currentTraceContext = () => storage.getStore()

export const newRequestId = () => randomUUID().replaceAll('-', '')

/** Runs `work` in the context, so that its log lines and spans get the trace ID. */
export function withTraceContext<T>(origin: TraceContext, work: () => T): T {
  return storage.run(origin, work)
}
