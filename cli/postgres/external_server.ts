import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, type BerthHome, writePrivateJson } from '../berth_home.js'
import { databaseUrlsAt, type BerthDatabase, withDatabaseClient } from './connections.js'

/**
 * The external PostgreSQL server to which `./berth database move` moved the tables. Its roles have the passwords in
 * `secrets.json` of the home.
 */
interface ExternalServer {
  /** `host:port` */
  at: string
  /** Query string of the server's URL, such as `sslmode=require`. */
  options: string
}

export const externalServerFile = (home: BerthHome) => join(home.path, 'database.json')

export function readExternalServer(home: BerthHome): ExternalServer | undefined {
  const file = externalServerFile(home)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ExternalServer) : undefined
}

/** Berth's processes use the server after their next start. */
export async function saveExternalServer(home: BerthHome, server: ExternalServer): Promise<void> {
  await writePrivateJson(externalServerFile(home), server)
}

export async function openExternalServer(
  home: BerthHome,
  { at, options }: ExternalServer
): Promise<BerthDatabase> {
  const urls = databaseUrlsAt(home, at, options)
  await withDatabaseClient(urls.appUrl, () => Promise.resolve()).catch((error: Error) => {
    throw new CliError(`The PostgreSQL at ${at} cannot be reached: ${error.message}`)
  })
  return { ...urls, description: at, stop: async () => {} }
}
