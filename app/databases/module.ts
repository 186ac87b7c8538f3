import { defineModule } from '#core/modules'
import { addResources } from '#accounts/public'
import { endDatabasesOn } from '#databases/actions/end_databases'
import { adoptMariadb } from '#databases/actions/adopt_mariadb'
import { auditMessages } from '#databases/audit_messages'
import { backupOperation } from '#databases/operations/backup'
import { createDatabase } from '#databases/operations/create'
import { importOperation } from '#databases/operations/import'
import { actOnServer, installServer } from '#databases/operations/server'
import {
  countDatabases,
  listDatabasesOfAccount,
  sumDatabaseSizes,
} from '#databases/queries/databases'
import { closeQueryLocks } from '#databases/query/query_lock'
import nightlyBackups from '#databases/schedules/nightly_backups'
import pruneCopies from '#databases/schedules/prune_copies'
import sendCopies from '#databases/schedules/send_copies'
import syncServers from '#databases/schedules/sync_servers'
import { closeServers } from '#databases/servers/server_for'
import { onMariadb } from '#guest/public'
import { releaseUploadLocks } from '#databases/transfer/upload_lock'
import { onInstanceGone } from '#instances/public'

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
    createDatabase,
    installServer,
    ...Object.values(actOnServer),
    importOperation,
    backupOperation,
  ],
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
  auditSubjects: { database: 'Databases' },
  auditWords: auditMessages,
  sampleData: () => import('#databases/sample_data'),
  bind() {
    addResources({ label: 'Databases', of: listDatabasesOfAccount })
    onMariadb(adoptMariadb)
    onInstanceGone(endDatabasesOn)
  },
  async close() {
    await Promise.all([closeServers(), closeQueryLocks(), releaseUploadLocks()])
  },
})
