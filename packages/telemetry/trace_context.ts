import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** What is being worked for: a request of somebody, or what goes on because of it. */
export interface TraceContext {
  /**
   * 32 hexadecimal digits, as W3C Trace Context wants them: the number that people are shown is that of
   * the trace.
   */
  id: string
  /** Id of the span that what is done now stands below; 16 hexadecimal digits. */
  span?: string
}

const storage = new AsyncLocalStorage<TraceContext>()

/** What this is done for; undefined outside of all requests. */
export const currentTraceContext = () => storage.getStore()

export const newRequestId = () => randomUUID().replaceAll('-', '')

/** Does something for an origin: lines of the log and spans below it carry its id. */
export function withTraceContext<T>(origin: TraceContext, work: () => T): T {
  return storage.run(origin, work)
}
