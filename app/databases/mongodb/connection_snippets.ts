import type { Server } from '#databases/servers/server'
import { managedServerUrl } from '#databases/servers/resolve_database_server'
import type { ConnectionSnippet } from '#databases/transformers/page_props'

interface ConnectionRequest {
  database: string
  username: string
}

/** The examples contain the placeholder `{password}`. */
export function mongodbConnectionSnippets(
  server: Server,
  request: ConnectionRequest
): ConnectionSnippet[] {
  const url = urlOf(server, request, '{password}')
  // Names created outside Berth can contain any character.
  const text = (name: string) => `'${name.replace(/[\\']/g, '\\$&')}'`
  return [
    { label: 'Command line', text: `mongosh "${url}"` },
    {
      label: 'PHP',
      text: `$client = new MongoDB\\Client('${url}');\n$database = $client->selectDatabase(${text(request.database)});`,
    },
    {
      label: 'Node',
      text: `import { MongoClient } from 'mongodb'\n\nconst client = new MongoClient('${url}')\nconst database = client.db(${text(request.database)})`,
    },
    {
      label: 'Laravel',
      text: `DB_CONNECTION=mongodb\nMONGODB_URI="${url}"\nMONGODB_DATABASE=${JSON.stringify(request.database)}`,
    },
    { label: 'Address', text: url },
  ]
}

export function mongodbEnvironment(
  server: Server,
  { password, ...asked }: ConnectionRequest & { password: string }
): Record<string, string> {
  const url = urlOf(server, asked, encoded(password))
  return { MONGODB_URI: url, MONGODB_URL: url, MONGODB_DATABASE: asked.database }
}

function urlOf(
  { instance }: Server,
  { database, username }: ConnectionRequest,
  password: string
): string {
  const managed = instance ? null : managedServerUrl('mongodb')
  const scheme = managed?.protocol ?? 'mongodb:'
  const host = managed?.host ?? '127.0.0.1:27017'
  const user = encoded(username)
  const name = encoded(database)
  const tls = managed?.searchParams.get('tls') === 'true' ? '&tls=true' : ''
  return `${scheme}//${user}:${password}@${host}/${name}?authSource=${name}${tls}`
}

/** Also encodes `'`, which would end a string in JavaScript or PHP. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27')
}
