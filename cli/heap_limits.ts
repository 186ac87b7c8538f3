/**
 * What the JavaScript heap of each process may hold at most, MB. V8 leaves garbage lying until it nears
 * the limit: without one web grew to 450 MB in 12,000 visits, of which it used 62. A process that needs
 * more ends with "heap out of memory" and is started again, so web has six times of what it
 * uses; the others' limits are chosen, not measured under load. Buffers (uploads, downloads, terminals' bytes) are not in the heap.
 */
export const HEAP_LIMITS_MB = {
  web: 384,
  gateway: 384,
  // In upkeep of 10,000 instances its heap had less than 100 MB (`./berth bench fleet`).
  worker: 384,
  vault: 96,
  // A body of JSON with attachments is a string, of which some may be there at once (packages/mail-service/limits.ts).
  mail: 384,
  broker: 96,
  command: 96,
}

/**
 * Half of the space for young objects, MB: they are collected when it is full. V8's own 16 is for one process on a machine;
 * mail needs it, where the bodies of fifty calls at once outlived 4 and a fifth of its time went to collecting them, and
 * web, of whose time with lists and streams it was a seventh. It grows only under load.
 */
const young = { mail: 16, web: 16 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

/**
 * Where the first full collection begins, MB. V8 counts what waits for the disk or the network as part of the heap: with
 * its own rule the vault collected seven times in an upload of 100 MB, which took a third of its time.
 */
const first = { vault: 48 } as Partial<Record<keyof typeof HEAP_LIMITS_MB, number>>

/** Node's arguments that hold a process to its heap. */
export function heapLimitArgs(name: keyof typeof HEAP_LIMITS_MB): string[] {
  const limits = [
    `--max-old-space-size=${HEAP_LIMITS_MB[name]}`,
    `--max-semi-space-size=${young[name] ?? 4}`,
  ]
  return first[name] ? [...limits, `--initial-old-space-size=${first[name]}`] : limits
}
