import pg from 'pg'
import type { BerthHome } from '../berth_home.js'
import { localDatabaseUrl, withDatabaseClient } from './connections.js'

export function asSuperuser<T>(
  { secrets }: BerthHome,
  port: number,
  work: (client: pg.Client) => Promise<T>
) {
  return withDatabaseClient(
    localDatabaseUrl('postgres', secrets.databaseSuperuser, port, 'postgres'),
    work
  )
}

/** Services that have separate tables. The console and each service cannot read each other's tables. */
const services = ['vault', 'mail']

/**
 * Returns SQL that creates a service's schema and gives the service's role access to its rows. The schema belongs to
 * the role that runs migrations, and other roles have no access by default.
 */
function ownSchema(service: string): string {
  return `
      create schema if not exists ${service} authorization berth;
      grant connect on database berth to berth_${service};
      grant usage on schema ${service} to berth_${service};
      alter default privileges for role berth in schema ${service}
        grant select, insert, update, delete on tables to berth_${service};
      alter default privileges for role berth in schema ${service}
        grant usage, select, update on sequences to berth_${service};
  `
}

export function ensureLocalDatabaseRoles(home: BerthHome, port: number): Promise<void> {
  return ensureDatabaseRoles(home, (database) =>
    localDatabaseUrl('postgres', home.secrets.databaseSuperuser, port, database)
  )
}

/**
 * Creates the PostgreSQL roles and the database that Berth uses, and sets passwords and privileges.
 * @param superuser returns the URL with which a superuser connects to the given database on the server
 */
export async function ensureDatabaseRoles(
  { secrets }: BerthHome,
  superuser: (database: string) => string
): Promise<void> {
  await withDatabaseClient(superuser('postgres'), async (client) => {
    // Without this setting, the server would log failed statements, which contain passwords.
    await client.query('set log_min_error_statement = panic')
    for (const [role, password] of [
      ['berth', secrets.databaseOwner],
      ['berth_app', secrets.databaseApp],
      ['berth_vault', secrets.databaseVault],
      ['berth_mail', secrets.databaseMail],
    ]) {
      const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role])
      const verb = rowCount ? 'alter' : 'create'
      await client.query(
        `${verb} role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`
      )
    }
    const { rowCount } = await client.query(`select 1 from pg_database where datname = 'berth'`)
    if (!rowCount) await client.query('create database berth owner berth')
  })
  await withDatabaseClient(superuser('berth'), (client) =>
    client.query(`
      revoke all on database berth from public;
      grant connect, temporary on database berth to berth_app;
      revoke create on database berth from berth_app;
      grant usage on schema public to berth_app;
      alter default privileges for role berth in schema public
        grant select, insert, update, delete on tables to berth_app;
      alter default privileges for role berth in schema public
        grant usage, select, update on sequences to berth_app;
      revoke all on schema public from public;
      ${services.map(ownSchema).join('')}
    `)
  )
}
