import { defineDomain } from '#core/domains'
import { auditWords } from '#databases/audit_words'
import { backupOperation } from '#databases/operations/backup'
import { importOperation } from '#databases/operations/import'
import { countDatabases } from '#databases/queries/databases'
import nightlyBackups from '#databases/schedules/nightly_backups'
import { closeServers } from '#databases/servers/reach'
import { closeTurns } from '#databases/transfer/turns'

declare module '#core/domains' {
  interface AuditSubjects {
    database: true
  }
}

const menu = { group: 'Databases', icon: 'database', needs: 'machines.use' } as const

export default defineDomain({
  name: 'databases',
  routes: () => import('#databases/routes'),
  operations: [importOperation, backupOperation],
  schedules: [nightlyBackups],
  menu: {
    customer: [
      { ...menu, label: 'Mysql', href: '/database/mysql', order: 30 },
      { ...menu, label: 'MongoDB', href: '/database/mongodb', order: 31 },
    ],
  },
  dashboard: [
    { label: 'Total Databases', href: '/database/mysql', order: 25, count: countDatabases },
  ],
  auditSubjects: { database: 'Databases' },
  auditWords,
  async close() {
    await closeTurns()
    await closeServers()
  },
})
