import { addThings, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { sellThings, stock } from '#catalog/public'
import { defineDomain } from '#core/domains'
import { newestWith } from '#core/find'
import { has } from '#core/list_page'
import { tenants } from '#hosts/public'
import { defaultInstance } from '#identity/public'
import { giveBackInstances, holdInstances } from '#instances/actions/hold_instances'
import { auditWords } from '#instances/audit_words'
import { closeLocks } from '#instances/lock'
import { closeMachines } from '#instances/machines'
import { mails } from '#instances/mails'
import { instanceStatuses } from '#instances/models/server_instance'
import { gauges } from '#instances/monitoring'
import { deletion } from '#instances/operations/deletion'
import * as power from '#instances/operations/power'
import { provision } from '#instances/operations/provision'
import { resizing } from '#instances/operations/resize'
import { countOf } from '#instances/queries/ordering'
import { instancesOf } from '#instances/queries/instances'
import { instanceChoices, instancesOwnedBy } from '#instances/queries/owned'
import { countsByVersion, listedOn } from '#instances/queries/tenants'
import checkAllocations from '#instances/schedules/check_allocations'
import endBoosts from '#instances/schedules/end_boosts'
import following from '#instances/schedules/follow_hosts'
import reconcile from '#instances/schedules/reconcile'

declare module '#core/domains' {
  interface AuditSubjects {
    server_instance: true
  }
  interface StaffAbilities {
    'instances.change': true
  }
}

const INSTANCES_PAGE = '/server-instance/list'
const entry = { group: 'VPS Servers', icon: 'server', label: 'Instances', order: 20 } as const

export default defineDomain({
  name: 'instances',
  routes: () => import('#instances/routes'),
  operations: [
    provision,
    deletion,
    resizing,
    power.starting,
    power.stopping,
    power.restarting,
    power.restartingWithoutApps,
    power.suspending,
    power.resuming,
  ],
  gauges,
  schedules: [checkAllocations, endBoosts, following, reconcile],
  menu: {
    customer: [
      { ...entry, href: INSTANCES_PAGE, needs: 'machines.use', add: 'Create New Instance' },
    ],
    admin: [{ ...entry, href: `/admin${INSTANCES_PAGE}` }],
  },
  dashboard: [{ label: 'Total Servers', href: INSTANCES_PAGE, order: 10, count: countOf }],
  firstSteps: [
    {
      ...{ label: 'Create a server instance', action: 'Create New Instance', order: 10 },
      hint: 'A Debian server of your own, with a terminal, files and databases. It is up in seconds.',
      ...{ href: `${INSTANCES_PAGE}?add=1`, needs: 'machines.use' },
      done: async (accountId) => (await countOf(accountId)) > 0,
    },
  ],
  find: [
    {
      ...{ kind: 'Server instance', needs: 'machines.use' },
      async of(actor, words, most) {
        const rows = await newestWith(instancesOf(actor), has('name', 'ip')(words), most)
        const prefix = actor.audience === 'staff' ? '/admin' : ''
        return rows.map(({ id, name, ip }) => ({
          ...{ name, detail: ip },
          href: `${prefix}/server-instance/${id}` as const,
        }))
      },
    },
  ],
  auditSubjects: { server_instance: 'Instances' },
  auditWords,
  mails,
  staffAbilities: { 'instances.change': 'Only administrators can change instances.' },
  sampleData: () => import('#instances/sample_data'),
  bind() {
    stock.instances = countsByVersion
    sellThings('server_instance', {
      name: (id) => `(select name from server_instances where id = ${id})`,
      delivered: (id) => `exists (select 1 from server_instances
        where id = ${id} and status in ('active', 'stopped', 'suspended'))`,
    })
    defaultInstance.choices = instanceChoices
    Object.assign(tenants, { listedOn, statuses: instanceStatuses })
    addThings({ label: 'Server instances', of: instancesOwnedBy })
    onAccountSuspended(holdInstances)
    onAccountResumed(giveBackInstances)
  },
  async close() {
    await Promise.all([closeMachines(), closeLocks()])
  },
})
