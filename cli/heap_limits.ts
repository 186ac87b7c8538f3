/**
 * Heap limits. V8 seldom collects garbage while the heap is far below its limit. Without a limit, web grew to 450 MB in
 * 12,000 visits, of which it used 62 MB. Its limit is six times that. The other limits are estimates, not measured
 * under load. A process that needs more crashes with "heap out of memory" and is restarted. Buffers do not count
 * towards the heap.
 */
export const HEAP_LIMITS_MB = {
  web: 384,
  gateway: 384,
  // With 10,000 instances, maintenance used less than 100 MB (`./berth bench fleet`).
  worker: 384,
  vault: 96,
  // A JSON message with attachments is one string in memory, and several may be there at the same time
  // (packages/mail-service/limits.ts).
  mail: 384,
  broker: 96,
  command: 96,
}

/**
 * Maximum size of a semi-space in MB, which is half of the memory for young objects. Default: 4 (V8's own default is
 * 16). With 4 and fifty concurrent requests, mail spent a fifth of its time on garbage collection, and web a seventh
 * for pages with lists and streams. The space grows only under load.
 */
const young = { mail: 16, web: 16 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

/**
 * Heap size in MB at which the first full garbage collection starts. V8 counts buffers that wait for disk or network.
 * With V8's default, an upload of 100 MB to the vault caused seven collections, which took a third of its time.
 */
const first = { vault: 48 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

export function heapLimitArgs(name: keyof typeof HEAP_LIMITS_MB): string[] {
  const limits = [
    `--max-old-space-size=${HEAP_LIMITS_MB[name]}`,
    `--max-semi-space-size=${young[name] ?? 4}`,
  ]
  return first[name] ? [...limits, `--initial-old-space-size=${first[name]}`] : limits
}
