import { addResources, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResource, packageStock } from '#catalog/public'
import { defineModule } from '#core/modules'
import { newestMatching } from '#core/global_search'
import { containsIndexed } from '#core/list_page'
import { hostTenants } from '#hosts/public'
import { defaultInstance } from '#identity/public'
import {
  resumeInstancesOfAccount,
  suspendInstancesOfAccount,
} from '#instances/actions/suspend_account_instances'
import { auditMessages } from '#instances/audit_messages'
import { closeLocks } from '#instances/instance_lock'
import { closeMachines } from '#instances/instance_machines'
import { mails } from '#instances/mails'
import { instanceStatuses } from '#instances/models/server_instance'
import { gauges } from '#instances/monitoring'
import { deleteOperation } from '#instances/operations/deletion'
import * as power from '#instances/operations/power'
import { provisionOperation } from '#instances/operations/provision'
import { resizeOperation } from '#instances/operations/resize'
import { countInstances } from '#instances/queries/order_options'
import { instancesVisibleTo } from '#instances/queries/instances'
import { listInstanceChoices, listInstancesOfAccount } from '#instances/queries/account_instances'
import { countInstancesByVersion, listInstancesOnHost } from '#instances/queries/tenants'
import checkAllocations from '#instances/schedules/check_allocations'
import endBoosts from '#instances/schedules/end_boosts'
import following from '#instances/schedules/follow_hosts'
import reconcile from '#instances/schedules/reconcile'

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
    provisionOperation,
    deleteOperation,
    resizeOperation,
    power.startOperationKind,
    power.stopOperationKind,
    power.restartOperationKind,
    power.restartWithoutAppsKind,
    power.suspendOperationKind,
    power.resumeOperationKind,
  ],
  gauges,
  schedules: [checkAllocations, endBoosts, following, reconcile],
  menu: {
    customer: [
      { ...entry, href: INSTANCES_PAGE, needs: 'machines.use', add: 'Create New Instance' },
    ],
    admin: [{ ...entry, href: `/admin${INSTANCES_PAGE}` }],
  },
  dashboard: [{ label: 'Total Servers', href: INSTANCES_PAGE, order: 10, count: countInstances }],
  firstSteps: [
    {
      label: 'Create a server instance',
      action: 'Create New Instance',
      order: 10,
      hint: 'A Debian server of your own with a terminal, files and databases. It starts in seconds.',
      href: `${INSTANCES_PAGE}?add=1`,
      needs: 'machines.use',
      done: async (accountId) => (await countInstances(accountId)) > 0,
    },
  ],
  find: [
    {
      kind: 'Server instance',
      needs: 'machines.use',
      async of(actor, words, most) {
        const rows = await newestMatching(
          instancesVisibleTo(actor),
          containsIndexed('name', 'ip')(words),
          most
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
  auditWords: auditMessages,
  mails,
  staffAbilities: { 'instances.change': 'Only administrators can change instances.' },
  sampleData: () => import('#instances/sample_data'),
  bind() {
    packageStock.instances = countInstancesByVersion
    registerSoldResource('server_instance', {
      name: (id) => `(select name from server_instances where id = ${id})`,
      delivered: (id) => `exists (select 1 from server_instances
        where id = ${id} and status in ('active', 'stopped', 'suspended'))`,
    })
    defaultInstance.choices = listInstanceChoices
    Object.assign(hostTenants, { listedOn: listInstancesOnHost, statuses: instanceStatuses })
    addResources({ label: 'Server instances', of: listInstancesOfAccount })
    onAccountSuspended(suspendInstancesOfAccount)
    onAccountResumed(resumeInstancesOfAccount)
  },
  async close() {
    await Promise.all([closeMachines(), closeLocks()])
  },
})
