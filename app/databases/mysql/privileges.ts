import type { AccessLevel } from '#databases/transformers/page_props'

export type GrantableAccess = Exclude<AccessLevel, 'other'>

export type GrantRow = { User: string; Host: string; Db: string } & Record<string, string>

const rights: Record<Exclude<GrantableAccess, 'all'>, string[]> = {
  read: ['SELECT', 'SHOW VIEW'],
  write: [
    'SELECT',
    'SHOW VIEW',
    'INSERT',
    'UPDATE',
    'DELETE',
    'EXECUTE',
    'CREATE TEMPORARY TABLES',
    'LOCK TABLES',
  ],
}

export const privilegesSql = (access: GrantableAccess): string =>
  access === 'all' ? 'ALL PRIVILEGES' : rights[access].join(', ')

/** Rights whose column in `mysql.db` does not have the name of the right. */
const columns: Record<string, string> = { 'CREATE TEMPORARY TABLES': 'Create_tmp_table' }
const columnOf = (right: string) => (columns[right] ?? right.replaceAll(' ', '_')).toLowerCase()

export function accessFromGrant(row: GrantRow): AccessLevel {
  const all = Object.keys(row).filter((name) => name.endsWith('_priv') && name !== 'Grant_priv')
  const granted = all
    .filter((name) => row[name] === 'Y')
    .map((name) => name.slice(0, -5).toLowerCase())
  if (granted.length === all.length) return 'all'
  for (const access of ['read', 'write'] as const) {
    const wanted = rights[access].map(columnOf)
    if (wanted.length === granted.length && wanted.every((name) => granted.includes(name)))
      return access
  }
  return 'other'
}
