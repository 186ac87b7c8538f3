/**
 * Heap limits of the processes. V8 seldom collects garbage while the heap is far below its limit. Without a limit, the
 * web process grew to 450 MB in 12,000 visits, of which it used 62 MB. Its limit is six times the latter. Except for
 * the worker's, the other limits are estimates that were not measured under load. A process that needs more memory
 * crashes with "heap out of memory" and is restarted. Buffers are not part of the heap.
 */
export const HEAP_LIMITS_MB = {
  web: 384,
  gateway: 384,
  // With 10,000 instances, maintenance in the worker used less than 100 MB (`./berth bench fleet`).
  worker: 384,
  vault: 96,
  // Memory holds a JSON message with attachments as one string, and several of them at the same time
  // (packages/mail-service/limits.ts).
  mail: 384,
  broker: 96,
  command: 96,
}

/**
 * Maximum size of a semi-space in MB. Two semi-spaces hold the young objects, except large ones. Default: 4 (V8's own
 * default is up to 16). With 4 and fifty concurrent requests, the mail process spent a fifth of its time on garbage
 * collection. For pages with lists and streams, the web process spent a seventh. A semi-space grows only under load.
 */
const young = { mail: 16, web: 16 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

/**
 * Heap size in MB at which the first full garbage collection starts. For this, V8 also counts buffers that wait for
 * disk or network. With V8's default, an upload of 100 MB to the vault caused seven collections, which took a third of
 * its time.
 */
const first = { vault: 48 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

export function heapLimitArgs(name: keyof typeof HEAP_LIMITS_MB): string[] {
  const limits = [
    `--max-old-space-size=${HEAP_LIMITS_MB[name]}`,
    `--max-semi-space-size=${young[name] ?? 4}`,
  ]
  return first[name] ? [...limits, `--initial-old-space-size=${first[name]}`] : limits
}
