import type { Engine } from '#databases/engines'
import DatabaseServer from '#databases/models/database_server'
import type { ServerInstance } from '#instances/public'

/** Measurements of a server on an instance in bytes. Null: unknown. */
export interface ServerCapacity {
  data: number | null
  largestBytes: number | null
  /** Maximum size of the buffer pool: `innodb_buffer_pool_size`. */
  pool: number | null
  memory: number
  free: number | null
}

const BYTES_PER_GIB = 1024 ** 3
/**
 * Above this ratio of the largest database to the free space, a warning is shown. Imports and restores need the
 * database's size a second time.
 */
const MAX_FREE_SPACE_RATIO = 0.8

export async function loadCapacityWarning(
  { id, memoryBytes }: ServerInstance,
  engine: Engine
): Promise<string | null> {
  const server = await DatabaseServer.query().where({ serverInstanceId: id, engine }).first()
  if (!server) return null
  const { dataBytes: data, largestBytes: databaseBytes, poolBytes: pool, freeBytes: free } = server
  return capacityWarning({
    data,
    largestBytes: databaseBytes,
    pool,
    memory: Number(memoryBytes),
    free,
  })
}

export function capacityWarning({
  data,
  largestBytes,
  pool,
  memory,
  free,
}: ServerCapacity): string | null {
  if (free !== null && free < BYTES_PER_GIB / 2) {
    return `The disk of this server instance has ${size(free)} free. Databases cannot save changes when the disk is full. Delete data that you do not need, or choose a larger package.`
  }
  if (free !== null && largestBytes !== null && largestBytes > free * MAX_FREE_SPACE_RATIO) {
    return `The disk of this server instance has ${size(free)} free, and the largest database has ${size(largestBytes)}. An import or a restore needs the same space again, so it may fail. Delete data that you do not need, or choose a larger package.`
  }
  if (pool !== null && pool > memory * 0.8) {
    return `The database server may use ${size(pool)} of memory (innodb_buffer_pool_size), and this server instance has ${size(memory)}. The server may be stopped when memory runs out. Lower the setting, or choose a larger package.`
  }
  if (data !== null && data > memory) {
    return `The databases have ${size(data)}, and this server instance has ${size(memory)} of memory. Queries read from the disk and are slow. Choose a larger package.`
  }
  return null
}

function size(bytes: number): string {
  if (bytes >= BYTES_PER_GIB) return `${(bytes / BYTES_PER_GIB).toFixed(1)} GB`
  return `${Math.round(bytes / 1024 ** 2)} MB`
}
