import { defineDomain } from '#core/domains'
import { addThings } from '#accounts/public'
import { endDatabasesOn } from '#databases/actions/end_databases'
import { adoptMariadb } from '#databases/actions/adopt_mariadb'
import { auditWords } from '#databases/audit_words'
import { backupOperation } from '#databases/operations/backup'
import { createDatabase } from '#databases/operations/create'
import { importOperation } from '#databases/operations/import'
import { actOnServer, installServer } from '#databases/operations/server'
import { countDatabases, databasesOwnedBy, sizeOfDatabases } from '#databases/queries/databases'
import { closeTurns } from '#databases/query/turns'
import nightlyBackups from '#databases/schedules/nightly_backups'
import pruneCopies from '#databases/schedules/prune_copies'
import sendCopies from '#databases/schedules/send_copies'
import syncServers from '#databases/schedules/sync_servers'
import { closeServers } from '#databases/servers/reach'
import { onMariadb } from '#guest/public'
import { closeUploads } from '#databases/transfer/turns'
import { onInstanceGone } from '#instances/public'

declare module '#core/domains' {
  interface AuditSubjects {
    database: true
  }
}

const menu = { group: 'Databases', icon: 'database', needs: 'machines.use' } as const

export default defineDomain({
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
      bytes: sizeOfDatabases,
    },
  ],
  auditSubjects: { database: 'Databases' },
  auditWords,
  sampleData: () => import('#databases/sample_data'),
  bind() {
    addThings({ label: 'Databases', of: databasesOwnedBy })
    onMariadb(adoptMariadb)
    onInstanceGone(endDatabasesOn)
  },
  async close() {
    await Promise.all([closeServers(), closeTurns(), closeUploads()])
  },
})
