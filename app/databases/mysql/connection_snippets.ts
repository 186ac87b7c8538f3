import { managedServerUrl } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import type { ConnectionSnippet } from '#databases/transformers/page_props'
import { quoteForShell } from '#packages/machine/main'

interface ConnectionRequest {
  database: string
  username: string
}

/** Returns the host and port under which programs on the instance connect to the server. */
function addressOf({ instance }: Server): { host: string; port: number } {
  if (instance) return { host: '127.0.0.1', port: 3306 }
  const url = managedServerUrl('mysql')
  return { host: url?.hostname ?? '127.0.0.1', port: Number(url?.port || 3306) }
}

/** Names created outside Berth can contain any character, so each example escapes them for its syntax. */
export function mysqlConnectionSnippets(
  server: Server,
  { database, username }: ConnectionRequest
): ConnectionSnippet[] {
  const { host, port } = addressOf(server)
  const php = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const js = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const dsn = `mysql:host=${host};port=${port};dbname=${database};charset=utf8mb4`
  const address = port === 3306 ? host : `${host}:${port}`
  const local = [
    {
      label: 'Command line',
      text: quoteForShell([
        'mariadb',
        `--host=${host}`,
        `--port=${port}`,
        `--user=${username}`,
        '-p',
        database,
      ]),
    },
    { label: 'PHP', text: `$db = new PDO(${php(dsn)}, ${php(username)}, '{password}');` },
    {
      label: 'Node.js (mysql2)',
      text: `const db = await mysql.createConnection({
  host: '${host}',
  port: ${port},
  database: ${js(database)},
  user: ${js(username)},
  password: '{password}',
})`,
    },
    {
      label: 'Laravel (.env)',
      text: Object.entries(mysqlEnvironment(server, { database, username, password: '{password}' }))
        .filter(([name]) => name !== 'DATABASE_URL')
        .map(
          ([name, value]) => `${name}=${/^[\w.{}-]*$/.test(value) ? value : JSON.stringify(value)}`
        )
        .join('\n'),
    },
    {
      label: 'WordPress (wp-config.php)',
      text: [
        ['DB_NAME', php(database)],
        ['DB_USER', php(username)],
        ['DB_PASSWORD', "'{password}'"],
        ['DB_HOST', php(server.instance ? 'localhost' : address)],
        ['DB_CHARSET', "'utf8mb4'"],
      ]
        .map(([name, value]) => `define( '${name}', ${value} );`)
        .join('\n'),
    },
    { label: 'Address', text: urlOf({ host, port, database, username, password: null }) },
  ]
  const outside = publicServerAddress(server)
  if (!outside) return local
  const remote = ['mariadb', `--host=${outside.host}`, `--port=${outside.port}`]
  return [
    ...local,
    {
      label: 'From an allowed address',
      text: quoteForShell([...remote, `--user=${username}`, '-p', database]),
    },
  ]
}

/** Null: no user may connect from other machines. */
export function publicServerAddress({ instance }: Server): { host: string; port: number } | null {
  const port = instance?.ports['3306']
  return instance?.ip && port ? { host: instance.ip, port } : null
}

function urlOf({
  host,
  port,
  database,
  username,
  password,
}: ConnectionRequest & { host: string; port: number; password: string | null }): string {
  const who = `${encodeURIComponent(username)}:${password === null ? '{password}' : encodeURIComponent(password)}`
  return `mysql://${who}@${host}:${port}/${encodeURIComponent(database)}`
}

/** Uses the names that Laravel and most Node.js libraries expect. */
export function mysqlEnvironment(
  server: Server,
  { database, username, password }: ConnectionRequest & { password: string }
): Record<string, string> {
  const { host, port } = addressOf(server)
  return {
    DATABASE_URL: urlOf({ host, port, database, username, password }),
    DB_CONNECTION: 'mysql',
    DB_HOST: host,
    DB_PORT: String(port),
    DB_DATABASE: database,
    DB_USERNAME: username,
    DB_PASSWORD: password,
  }
}
