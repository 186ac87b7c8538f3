import { notSupported } from '#databases/errors'
import { defaultUserHost } from '#databases/mysql/default_user_host'
import type { GrantRow } from '#databases/mysql/privileges'
import { withConnection } from '#databases/mysql/connect'
import { quoteName, quoteText } from '#databases/mysql/sql_quoting'
import { RESERVED_NAME_PREFIX } from '#databases/names'
import type { DatabaseUserKey } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { notFound } from '#core/app_error'
import { runCommand } from '#guest/public_effects'
import { closeHostPort, openHostPort } from '#instances/public_effects'
import type { RowDataPacket } from 'mysql2/promise'
import { readScript } from '#packages/machine/read_script'

const MYSQL_PORT = 3306
const REMOTE_CONFIG_PATH = '/etc/mysql/mariadb.conf.d/99-berth-remote.cnf'

const LISTEN_SCRIPT = readScript(import.meta, 'set_remote_listening.sh')

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * Sets or removes the remote address from which a user may connect. The instance's port is open while any user has
 * a remote address. The server rejects connections from all other addresses.
 */
export async function setRemoteAccess(
  server: Server,
  { username }: DatabaseUserKey,
  address: string | null
): Promise<void> {
  const host = address && hostOf(address)
  const instance = server.instance!
  const left = await withConnection(server, {}, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT User, Host FROM mysql.user WHERE User = ?',
      [username]
    )
    const localHost = defaultUserHost(server)
    if (!rows.some(({ Host }) => Host === localHost)) throw notFound('user')
    const mine = quoteText(username)
    if (host) {
      const [[secret]] = await connection.query<RowDataPacket[]>(
        'SELECT plugin, authentication_string FROM mysql.user WHERE User = ? AND Host = ?',
        [username, localHost]
      )
      if (secret.plugin !== 'mysql_native_password') {
        throw notSupported('This user does not sign in with a password. Set a password first.')
      }
      // Opens the port before the user changes. If opening fails, nothing has changed.
      await openHostPort(instance, MYSQL_PORT, { keepsAddresses: true })
      const who = `${mine}@${quoteText(host)}`
      const hash = quoteText(String(secret.authentication_string))
      await connection.query(`CREATE USER IF NOT EXISTS ${who} IDENTIFIED BY PASSWORD ${hash}`)
      const [grants] = await connection.query<RowDataPacket[]>(
        'SELECT * FROM mysql.db WHERE User = ? AND Host = ?',
        [username, localHost]
      )
      for (const grant of grants as GrantRow[]) {
        await connection.query(`GRANT ${rightsIn(grant)} ON ${quoteName(grant.Db)}.* TO ${who}`)
      }
    }
    for (const { Host } of rows.filter((row) => row.Host !== localHost && row.Host !== host)) {
      await connection.query(`DROP USER IF EXISTS ${mine}@${quoteText(Host)}`)
    }
    const [all] = await connection.query<RowDataPacket[]>('SELECT User, Host FROM mysql.user')
    return all.filter(
      ({ User, Host }) => !User.startsWith(RESERVED_NAME_PREFIX) && !LOCAL_HOSTS.has(Host)
    ).length
  })
  if (address) return setRemoteListening(server, 'open')
  if (left > 0) return
  await setRemoteListening(server, 'closed')
  await closeHostPort(instance, MYSQL_PORT)
}

/** Returns an address range as the server writes it: `203.0.113.0/255.255.255.0`. */
function hostOf(address: string): string {
  const [ip, bits] = address.split('/')
  if (!bits) return ip
  const mask = (0xffffffff << (32 - Number(bits))) >>> 0
  const number = ip.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0)
  const text = (value: number) => [24, 16, 8, 0].map((by) => (value >>> by) & 255).join('.')
  return `${text(number & mask)}/${text(mask)}`
}

async function setRemoteListening({ machine }: Server, how: 'open' | 'closed'): Promise<void> {
  const argv = ['sh', '-c', LISTEN_SCRIPT, 'berth-listen', how, REMOTE_CONFIG_PATH]
  await runCommand(machine, 'The database server could not use its new address', argv, {
    user: 'root',
    timeout: 120_000,
  })
}

function rightsIn(row: GrantRow): string {
  const names: Record<string, string> = { Create_tmp_table: 'CREATE TEMPORARY TABLES' }
  const columns = Object.keys(row)
    .filter((name) => name.endsWith('_priv') && name !== 'Grant_priv' && row[name] === 'Y')
    .map((name) => name.slice(0, -5))
  return (
    columns.map((name) => names[name] ?? name.replaceAll('_', ' ').toUpperCase()).join(', ') ||
    'USAGE'
  )
}
