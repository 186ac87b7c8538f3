import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** The request or job on whose behalf code runs. */
export interface TraceContext {
  /** Trace ID of W3C Trace Context: 32 hexadecimal digits. Error pages show it as the request number. */
  id: string
  /** Parent of new spans: 16 hexadecimal digits. */
  span?: string
}

const storage = new AsyncLocalStorage<TraceContext>()

/** Returns the current trace context. Returns undefined outside of requests and jobs. */
export const currentTraceContext = () => storage.getStore()

export const newRequestId = () => randomUUID().replaceAll('-', '')

/** Runs `work` with the context. Log lines and spans of `work` get its ID. */
export function withTraceContext<T>(origin: TraceContext, work: () => T): T {
  return storage.run(origin, work)
}
