import { registerAccountResourceKind, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResourceKind, packageAvailabilityProvider } from '#catalog/public'
import { defineModule } from '#core/modules'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { hostedInstancesProvider } from '#hosts/public'
import { defaultInstanceChoiceProvider } from '#identity/public'
import {
  resumeInstancesOfAccount,
  suspendInstancesOfAccount,
} from '#instances/actions/suspend_account_instances'
import { auditMessages } from '#instances/audit_messages'
import { closeAllInstanceConnections } from '#instances/instance_machines'
import { mails } from '#instances/mails'
import { instanceStatuses } from '#instances/models/server_instance'
import { gauges } from '#instances/monitoring'
import { instanceDeleteOperation } from '#instances/operations/deletion'
import * as power from '#instances/operations/power'
import { instanceProvisionOperation } from '#instances/operations/provision'
import { instanceResizeOperation } from '#instances/operations/resize'
import { countInstancesOfAccount } from '#instances/queries/order_options'
import { instancesVisibleTo } from '#instances/queries/instances'
import {
  listChoicesOfDefaultInstance,
  listInstancesOfAccount,
} from '#instances/queries/account_instances'
import {
  countInstancesByPackageVersion,
  listInstancesOnHost,
  sumImageReserve,
} from '#instances/queries/instances_by_host_and_version'
import checkAllocations from '#instances/schedules/reconcile_allocations'
import endBoosts from '#instances/schedules/end_boosts'
import following from '#instances/schedules/watch_host_events'
import reconcile from '#instances/schedules/reconcile_instances'

declare module '#core/modules' {
  interface AuditSubjects {
    server_instance: true
  }
  interface StaffAbilities {
    'instances.change': true
  }
}

const INSTANCES_PAGE = '/server-instance/list'
const entry = { group: 'VPS Servers', icon: 'server', label: 'Instances', order: 20 } as const

export default defineModule({
  name: 'instances',
  routes: () => import('#instances/routes'),
  operations: [
    instanceProvisionOperation,
    instanceDeleteOperation,
    instanceResizeOperation,
    power.instanceStartOperation,
    power.instanceStopOperation,
    power.instanceRestartOperation,
    power.instanceRestartWithoutAppsOperation,
    power.instanceSuspendOperation,
    power.instanceResumeOperation,
  ],
  gauges,
  schedules: [checkAllocations, endBoosts, following, reconcile],
  menu: {
    customer: [
      { ...entry, href: INSTANCES_PAGE, needs: 'machines.use', add: 'Create New Instance' },
    ],
    admin: [{ ...entry, href: `/admin${INSTANCES_PAGE}` }],
  },
  dashboard: [
    { label: 'Total Servers', href: INSTANCES_PAGE, order: 10, count: countInstancesOfAccount },
  ],
  firstSteps: [
    {
      label: 'Create a server instance',
      action: 'Create New Instance',
      order: 10,
      hint: 'A Debian server of your own with a terminal, files and databases. It starts in seconds.',
      href: `${INSTANCES_PAGE}?add=1`,
      needs: 'machines.use',
      done: async (accountId) => (await countInstancesOfAccount(accountId)) > 0,
    },
  ],
  find: [
    {
      kind: 'Server instance',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const rows = await queryNewestMatching(
          instancesVisibleTo(actor),
          containsOrStartsWith('name', 'ip')(text),
          limit
        )
        const prefix = actor.audience === 'staff' ? '/admin' : ''
        return rows.map(({ id, name, ip }) => ({
          name,
          detail: ip,
          href: `${prefix}/server-instance/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { server_instance: 'Instances' },
  auditMessages,
  mails,
  staffAbilities: { 'instances.change': 'Only administrators can change instances.' },
  sampleData: () => import('#instances/sample_data'),
  bind() {
    packageAvailabilityProvider.instances = countInstancesByPackageVersion
    registerSoldResourceKind('server_instance', {
      name: (id) => `(select name from server_instances where id = ${id})`,
      delivered: (id) => `exists (select 1 from server_instances
        where id = ${id} and status in ('active', 'stopped', 'suspended'))`,
    })
    defaultInstanceChoiceProvider.choices = listChoicesOfDefaultInstance
    Object.assign(hostedInstancesProvider, {
      listedOn: listInstancesOnHost,
      sumImageReserve,
      statuses: instanceStatuses,
    })
    registerAccountResourceKind({ label: 'Server instances', of: listInstancesOfAccount })
    onAccountSuspended(suspendInstancesOfAccount)
    onAccountResumed(resumeInstancesOfAccount)
  },
  async close() {
    await closeAllInstanceConnections()
  },
})
