import { defineModule } from '#core/modules'
import { registerAccountResourceKind } from '#accounts/public'
import { accountIdOf } from '#core/contracts/actor'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { engines } from '#databases/engines'
import { mails } from '#databases/mails'
import Database from '#databases/models/database'
import { alerts } from '#databases/monitoring'
import { markInstanceDatabasesDeleted } from '#databases/actions/mark_databases_deleted'
import { syncInstanceMariadb } from '#databases/actions/sync_instance_mariadb'
import { auditMessages } from '#databases/audit_messages'
import { backUpDatabaseOperation } from '#databases/operations/backup'
import { createDatabaseOperation } from '#databases/operations/create'
import { importIntoDatabaseOperation } from '#databases/operations/import'
import {
  serverActionOperations,
  installServerOperation,
} from '#databases/operations/server_actions'
import {
  countDatabases,
  listDatabaseResourcesOfAccount,
  staffPageOfDatabase,
  sumDatabaseSizes,
} from '#databases/queries/databases'
import nightlyBackups from '#databases/schedules/start_nightly_backups'
import pruneCopies from '#databases/schedules/prune_dropped_database_backups'
import sendCopies from '#databases/schedules/retry_backup_copies'
import syncServers from '#databases/schedules/sync_servers'
import { closeManagedServers } from '#databases/servers/resolve_database_server'
import { onMariadbChanged } from '#guest/public'
import { onInstanceDeletionCommit } from '#instances/public'

declare module '#core/modules' {
  interface AuditSubjects {
    database: true
  }
}

const menu = { group: 'Databases', icon: 'database', needs: 'machines.use' } as const

export default defineModule({
  name: 'databases',
  routes: () => import('#databases/routes'),
  operations: [
    createDatabaseOperation,
    installServerOperation,
    ...Object.values(serverActionOperations),
    importIntoDatabaseOperation,
    backUpDatabaseOperation,
  ],
  alerts,
  mails,
  schedules: [syncServers, nightlyBackups, sendCopies, pruneCopies],
  menu: {
    customer: [
      { ...menu, label: 'Mysql', href: '/database/mysql', order: 30 },
      { ...menu, label: 'MongoDB', href: '/database/mongodb', order: 31 },
    ],
  },
  dashboard: [
    {
      label: 'Total Databases',
      href: '/database/mysql',
      order: 25,
      count: countDatabases,
      bytes: sumDatabaseSizes,
    },
  ],
  find: [
    {
      kind: 'Database',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const isStaff = actor.audience === 'staff'
        const visible = isStaff
          ? Database.live()
          : Database.live().where({ accountId: accountIdOf(actor) })
        const rows = await queryNewestMatching(visible, containsOrStartsWith('name')(text), limit)
        return rows.map(({ id, name, engine, accountId, serverInstanceId }) => ({
          name,
          detail: engines[engine].label,
          href: isStaff
            ? staffPageOfDatabase({ accountId, serverInstanceId })
            : (`/database/${engine}/${id}` as const),
        }))
      },
    },
  ],
  auditSubjects: { database: 'Databases' },
  auditMessages,
  sampleData: () => import('#databases/sample_data'),
  bind() {
    registerAccountResourceKind({ label: 'Databases', of: listDatabaseResourcesOfAccount })
    onMariadbChanged(syncInstanceMariadb)
    onInstanceDeletionCommit(markInstanceDatabasesDeleted)
  },
  async close() {
    await closeManagedServers()
  },
})
