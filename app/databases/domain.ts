import { defineDomain } from '#core/domains'
import { auditWords } from '#databases/audit_words'
import { countDatabases } from '#databases/queries/databases'
import { closeTurns } from '#databases/query/turns'
import sizes from '#databases/schedules/sizes'
import { closeServers } from '#databases/servers/reach'

declare module '#core/domains' {
  interface AuditSubjects {
    database: true
  }
}

const menu = { group: 'Databases', icon: 'database', needs: 'machines.use' } as const

export default defineDomain({
  name: 'databases',
  routes: () => import('#databases/routes'),
  schedules: [sizes],
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
    await Promise.all([closeServers(), closeTurns()])
  },
})
