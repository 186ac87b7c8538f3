import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'

/** `digest` changes if any value of any row changes. Generated columns are not included. */
export interface TableDigest {
  rows: number
  digest: string
}

interface Table {
  /** With schema, quoted for SQL. */
  name: string
  /** Quoted for SQL. Generated columns are left out. */
  columns: string[]
}

const UNIFORM_OUTPUT_SQL = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0`

export async function connectForCopy(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  await client.query(UNIFORM_OUTPUT_SQL)
  return client
}

/** Lists the tables of the connected role, sorted by name. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select format('%I.%I', n.nspname, c.relname) as name,
      coalesce(array_agg(quote_ident(a.attname) order by a.attnum)
        filter (where a.attgenerated = ''), '{}') as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user
      and n.nspname not in ('pg_catalog', 'information_schema')
    group by n.nspname, c.relname
    order by n.nspname, c.relname`)
  return rows
}

export async function digestTables(client: pg.Client): Promise<Record<string, TableDigest>> {
  const all: Record<string, TableDigest> = {}
  for (const { name, columns } of await tablesOf(client)) {
    const sql = `select count(*)::float8 as rows, coalesce(sum(
        ('x' || substr(md5(row(${columns.join(', ')})::text), 1, 15))::bit(60)::bigint), 0)::text as digest
      from ${name}`
    all[name] = (await client.query<TableDigest>(sql)).rows[0]
  }
  return all
}

/**
 * Replaces the rows of the tables with the same names at the target. Also copies the values of sequences.
 * @param into connection as a superuser, which may disable triggers and foreign keys. The rows already satisfy them at
 * the source
 * @throws Error with the names of tables that the target lacks
 */
export async function copyTables(from: pg.Client, into: pg.Client): Promise<void> {
  const tables = await tablesOf(from)
  const names = tables.map(({ name }) => name)
  if (names.length === 0) return
  await makePartitions(from, into)
  const { rows: missing } = await into.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is null',
    [names]
  )
  if (missing.length) {
    throw new Error(`The new database lacks ${missing.map(({ name }) => name).join(', ')}`)
  }
  await into.query('begin; set local session_replication_role = replica')
  await into.query(`truncate ${names.join(', ')}`)
  for (const { name, columns } of tables) {
    if (columns.length === 0) continue
    const list = columns.join(', ')
    const reading = from.query(copyTo(`copy (select ${list} from ${name}) to stdout`))
    await pipeline(reading, into.query(copyFrom(`copy ${name} (${list}) from stdin`)))
  }
  await copySequences(from, into)
  await into.query('commit')
}

/**
 * Creates the source's partitions that the target lacks. The migrations, which have run there, create day partitions
 * only for the day on which they run and the next three days.
 */
async function makePartitions(from: pg.Client, into: pg.Client): Promise<void> {
  const { rows } = await from.query<{
    name: string
    parent: string
    bound: string
    owner: string
  }>(`
    select format('%I.%I', n.nspname, c.relname) as name,
      format('%I.%I', pn.nspname, p.relname) as parent,
      pg_get_expr(c.relpartbound, c.oid) as bound, quote_ident(current_user) as owner
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_inherits i on i.inhrelid = c.oid
    join pg_class p on p.oid = i.inhparent
    join pg_namespace pn on pn.oid = p.relnamespace
    where c.relispartition and c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user`)
  for (const { name, parent, bound, owner } of rows) {
    // Creates the partitions as the owner, because only the owner's default privileges give other roles access to them.
    await into.query(`set role ${owner}`)
    await into.query(`create table if not exists ${name} partition of ${parent} ${bound}`)
    await into.query('reset role')
  }
}

async function copySequences(from: pg.Client, into: pg.Client): Promise<void> {
  const { rows } = await from.query<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and pg_get_userbyid(c.relowner) = current_user`)
  for (const { name } of rows) {
    const sql = `select last_value::text as value, is_called as called from ${name}`
    const [{ value, called }] = (await from.query<{ value: string; called: boolean }>(sql)).rows
    await into.query('select setval($1::regclass, $2::bigint, $3)', [name, value, called])
  }
}
