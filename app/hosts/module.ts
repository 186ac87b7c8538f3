import type { CountQuery } from '#core/menu_badges'
import { packageAvailabilityProvider } from '#catalog/public'
import { defineModule } from '#core/modules'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { auditMessages } from '#hosts/audit_messages'
import { closeIncusConnections } from '#hosts/incus_connections'
import { closeHostConnections } from '#hosts/connect_to_host'
import HostInstance from '#hosts/models/host_instance'
import { alerts, gauges, health } from '#hosts/monitoring'
import { cleanUpHostOperation } from '#hosts/operations/clean_up_removed_host'
import { prepareHostOperation } from '#hosts/operations/prepare_host'
import { offlineHostCountQuery } from '#hosts/queries/offline_hosts'
import { listFreeCapacities, offersWithAvailability } from '#hosts/queries/capacity'
import checkHosts from '#hosts/schedules/check_hosts'
import forgetFindings from '#hosts/schedules/delete_old_discrepancies'
import keepWatchdogs from '#hosts/schedules/ensure_build_mode_watchdogs'
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
  operations: [cleanUpHostOperation, prepareHostOperation],
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
  badges: ({ audience }): Record<string, CountQuery> =>
    audience === 'staff' ? { [HOSTS_PAGE]: offlineHostCountQuery() } : {},
  badgeUnits: { [HOSTS_PAGE]: ['host is offline', 'hosts are offline'] },
  find: [
    {
      kind: 'Host',
      audience: 'staff',
      async of(_actor, text, limit) {
        const rows = await queryNewestMatching(
          HostInstance.live(),
          containsOrStartsWith('name', 'ip')(text),
          limit
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
  auditMessages,
  staffAbilities: { 'hosts.manage': 'Only administrators can add or change hosts.' },
  bind() {
    packageAvailabilityProvider.offersOf = async (packages) =>
      offersWithAvailability(packages, await listFreeCapacities())
  },
  async close() {
    await Promise.all([closeIncusConnections(), closeHostConnections()])
  },
})
