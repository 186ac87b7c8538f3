import type { Count } from '#core/badges'
import { stock } from '#catalog/public'
import { defineDomain } from '#core/domains'
import { newestWith } from '#core/find'
import { has } from '#core/list_page'
import { auditWords } from '#hosts/audit_words'
import { closeConnections } from '#hosts/connections'
import { closeHostMachines } from '#hosts/machine'
import HostInstance from '#hosts/models/host_instance'
import { alerts, gauges, health } from '#hosts/monitoring'
import { leaving } from '#hosts/operations/leave_host'
import { preparing } from '#hosts/operations/prepare_host'
import { countOffline } from '#hosts/queries/offline'
import { activeRooms, offersIn } from '#hosts/queries/room'
import checkHosts from '#hosts/schedules/check_hosts'
import forgetFindings from '#hosts/schedules/forget_findings'
import keepWatchdogs from '#hosts/schedules/keep_watchdogs'
import markSilentHosts from '#hosts/schedules/mark_silent_hosts'
import prepareHosts from '#hosts/schedules/prepare_hosts'
import testContainment from '#hosts/schedules/test_containment'

declare module '#core/domains' {
  interface AuditSubjects {
    host_instance: true
  }
  interface StaffAbilities {
    'hosts.manage': true
  }
}

const HOSTS_PAGE = '/admin/host-instance/list'

export default defineDomain({
  name: 'hosts',
  routes: () => import('#hosts/routes'),
  operations: [leaving, preparing],
  alerts,
  gauges,
  health,
  schedules: [
    checkHosts,
    forgetFindings,
    keepWatchdogs,
    markSilentHosts,
    prepareHosts,
    testContainment,
  ],
  menu: {
    admin: [
      {
        group: 'Host Instances',
        icon: 'anchor',
        label: 'Host Instances',
        href: HOSTS_PAGE,
        order: 30,
      },
    ],
  },
  badges: ({ audience }): Record<string, Count> =>
    audience === 'staff' ? { [HOSTS_PAGE]: countOffline() } : {},
  badgeWords: { [HOSTS_PAGE]: ['host is offline', 'hosts are offline'] },
  find: [
    {
      ...{ kind: 'Host', audience: 'staff' },
      async of(_actor, words, most) {
        const rows = await newestWith(HostInstance.live(), has('name', 'ip')(words), most)
        return rows.map(({ id, name, ip }) => ({
          ...{ name, detail: ip },
          href: `/admin/host-instance/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { host_instance: 'Hosts' },
  auditWords,
  staffAbilities: { 'hosts.manage': 'Only administrators can add or change hosts.' },
  bind() {
    stock.offersOf = async (packages) => offersIn(packages, await activeRooms())
  },
  async close() {
    await Promise.all([closeConnections(), closeHostMachines()])
  },
})
