import type { Count } from '#core/menu_badges'
import { packageStock } from '#catalog/public'
import { defineModule } from '#core/modules'
import { newestMatching } from '#core/global_search'
import { containsIndexed } from '#core/list_page'
import { auditMessages } from '#hosts/audit_messages'
import { closeConnections } from '#hosts/incus_connections'
import { closeHostMachines } from '#hosts/host_machine'
import HostInstance from '#hosts/models/host_instance'
import { alerts, gauges, health } from '#hosts/monitoring'
import { leaveHost } from '#hosts/operations/leave_host'
import { prepareHost } from '#hosts/operations/prepare_host'
import { countOfflineHosts } from '#hosts/queries/offline'
import { listActiveHostRooms, offersWithRoom } from '#hosts/queries/capacity'
import checkHosts from '#hosts/schedules/check_hosts'
import forgetFindings from '#hosts/schedules/delete_old_findings'
import keepWatchdogs from '#hosts/schedules/keep_watchdogs'
import markSilentHosts from '#hosts/schedules/mark_silent_hosts'
import prepareHosts from '#hosts/schedules/prepare_hosts'
import testContainment from '#hosts/schedules/test_containment'

declare module '#core/modules' {
  interface AuditSubjects {
    host_instance: true
  }
  interface StaffAbilities {
    'hosts.manage': true
  }
}

const HOSTS_PAGE = '/admin/host-instance/list'

export default defineModule({
  name: 'hosts',
  routes: () => import('#hosts/routes'),
  operations: [leaveHost, prepareHost],
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
    audience === 'staff' ? { [HOSTS_PAGE]: countOfflineHosts() } : {},
  badgeWords: { [HOSTS_PAGE]: ['host is offline', 'hosts are offline'] },
  find: [
    {
      kind: 'Host',
      audience: 'staff',
      async of(_actor, words, most) {
        const rows = await newestMatching(
          HostInstance.live(),
          containsIndexed('name', 'ip')(words),
          most
        )
        return rows.map(({ id, name, ip }) => ({
          name,
          detail: ip,
          href: `/admin/host-instance/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { host_instance: 'Hosts' },
  auditWords: auditMessages,
  staffAbilities: { 'hosts.manage': 'Only administrators can add or change hosts.' },
  bind() {
    packageStock.offersOf = async (packages) =>
      offersWithRoom(packages, await listActiveHostRooms())
  },
  async close() {
    await Promise.all([closeConnections(), closeHostMachines()])
  },
})
