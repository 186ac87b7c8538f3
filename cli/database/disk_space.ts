import { statfs } from 'node:fs/promises'
import { CliError } from '../berth_home.js'
import { withDatabaseClient, type BerthDatabase } from '../postgres/connections.js'
import { print } from '../print.js'

/** Disk space for WAL during the copy, in addition to the tables: about `max_wal_size`, by default 1 GiB. */
const WAL_BYTES = 1024 ** 3

const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`

/**
 * The copy needs the space of the database and `WAL_BYTES`. If the target is another server, its free space is unknown,
 * so this function prints the needed size.
 * @param folder folder of the new data on this machine. Undefined if the target is another server
 * @throws CliError if the copy does not fit
 */
export async function assertSpaceForCopy(
  { ownerUrl }: BerthDatabase,
  folder: string | undefined,
  freeBytes = readFreeBytes
): Promise<void> {
  const size = await withDatabaseClient(ownerUrl, async (client) => {
    const { rows } = await client.query<{ size: number }>(
      'select pg_database_size(current_database())::float8 as size'
    )
    return rows[0].size
  })
  const needed = size + WAL_BYTES
  if (folder === undefined) {
    print(`The new server needs ${gigabytes(needed)} of free disk. Berth cannot check this`)
    return
  }
  const free = await freeBytes(folder)
  if (free >= needed) return
  throw new CliError(
    `The disk of ${folder} is too full for the copy: ${gigabytes(free)} free, ${gigabytes(needed)} needed. Nothing was moved. Free space and try again`
  )
}

async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
