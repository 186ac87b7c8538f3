import { MAX_NAME_BYTES } from '../http/object_names.js'
import type { ObjectListing, ListOptions, StoredObject, BodyLocation, Vault } from '../types.js'
import type { Database } from './database.js'

export interface ObjectRow {
  vault_id: number
  name: string
  store: BodyLocation
  bodies: number[]
  sizes: number[]
  digests: string[]
  size: number
  etag: string
  type: string
  headers: StoredObject['headers']
  meta: StoredObject['meta']
  checksums: StoredObject['checksums']
  modified_at: Date
}

export function toStoredObject(row: ObjectRow): StoredObject {
  const { vault_id: vaultId, modified_at: modifiedAt, ...rest } = row
  return { ...rest, vaultId, modifiedAt }
}

/**
 * A text that sorts after every possible name in byte order, because it repeats the last Unicode character and is
 * longer than any name. So all names with a prefix come before `prefix + AFTER_LAST_NAME`.
 */
export const AFTER_LAST_NAME = '\u{10FFFF}'.repeat(MAX_NAME_BYTES / 4 + 1)

/**
 * Returns one page of names in byte order. With a delimiter, an index search skips all names below a common prefix, so
 * the time for a page does not depend on the number of objects in a folder.
 */
export async function listObjects(
  database: Database,
  vault: Vault,
  { prefix = '', delimiter, after = '', limit }: ListOptions
): Promise<ObjectListing> {
  const objects: StoredObject[] = []
  const prefixes: string[] = []
  let next: string | undefined
  // Start of the next query: after a name, or after all names below a common prefix.
  let from = startOf(after, prefix, delimiter)
  for (;;) {
    const left = limit - objects.length - prefixes.length
    const rows = await page(
      database,
      vault.id,
      prefix,
      from,
      delimiter ? Math.min(left + 1, 200) : left + 1
    )
    let jumped = false
    for (const row of rows) {
      if (objects.length + prefixes.length === limit) return { objects, prefixes, next }
      const common = delimiter && commonPrefix(row.name, prefix, delimiter)
      if (common) {
        prefixes.push(common)
        next = common
        from = common + AFTER_LAST_NAME
        jumped = true
        break
      }
      objects.push(toStoredObject(row))
      next = from = row.name
    }
    const isEnd = rows.length === 0 || (!delimiter && rows.length <= left)
    if (!jumped && isEnd) return { objects, prefixes, next: undefined }
  }
}

function startOf(after: string, prefix: string, delimiter?: string): string {
  const isCommon = delimiter && after.startsWith(prefix) && commonPrefix(after, prefix, delimiter)
  return isCommon && isCommon === after ? after + AFTER_LAST_NAME : after
}

function commonPrefix(name: string, prefix: string, delimiter: string): string | undefined {
  const at = name.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : name.slice(0, at + delimiter.length)
}

async function page(
  database: Database,
  vaultId: number,
  prefix: string,
  from: string,
  limit: number
): Promise<ObjectRow[]> {
  return database.rows<ObjectRow>(
    `select * from vault.objects
     where vault_id = $1 and name > $2 and name >= $3 and name < $4
     order by name limit $5`,
    [vaultId, from, prefix, prefix + AFTER_LAST_NAME, limit]
  )
}
