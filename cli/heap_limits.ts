/**
 * Heap limits. V8 seldom collects garbage far below its limit: without one, web grew to 450 MB in 12,000 visits, of
 * which it used 62. Web's limit is six times that. The other limits are estimates, not measured under load. A
 * process that needs more exits with "heap out of memory" and is restarted. Buffers are not in the heap.
 */
export const HEAP_LIMITS_MB = {
  web: 384,
  gateway: 384,
  // With 10,000 instances, maintenance used less than 100 MB (`./berth bench fleet`).
  worker: 384,
  vault: 96,
  // A JSON message with attachments is one string, and several may be in memory at the same time
  // (packages/mail-service/limits.ts).
  mail: 384,
  broker: 96,
  command: 96,
}

/**
 * Maximum size of a semi-space in MB, which is half of the memory for young objects. Our default is 4, V8's own is
 * 16. With 4 and fifty concurrent requests, mail spent a fifth of its time on garbage collection, and web a seventh
 * with lists and streams. The space grows only under load.
 */
const young = { mail: 16, web: 16 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

/**
 * Heap size in MB at which the first full collection starts. V8 counts data that waits for disk or network as heap.
 * With V8's default, an upload of 100 MB to the vault caused seven collections, a third of its time.
 */
const first = { vault: 48 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

export function heapLimitArgs(name: keyof typeof HEAP_LIMITS_MB): string[] {
  const limits = [
    `--max-old-space-size=${HEAP_LIMITS_MB[name]}`,
    `--max-semi-space-size=${young[name] ?? 4}`,
  ]
  return first[name] ? [...limits, `--initial-old-space-size=${first[name]}`] : limits
}
