import { accountIdOf } from '#core/contracts/actor'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { defineModule } from '#core/modules'
import { saveDomains } from '#edge/actions/save_domains'
import { auditMessages } from '#edge/audit_messages'
import Domain, { domainStatuses } from '#edge/models/domain'
import { alerts, gauges, health } from '#edge/monitoring'
import serveDomains from '#edge/schedules/serve_domains'
import { domainViews } from '#edge/transformers/domain'
import {
  instanceDomainProvider,
  beforeInstanceDeletion,
  onInstanceDeletionCommit,
  onInstanceRestored,
} from '#instances/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export default defineModule({
  name: 'edge',
  routes: () => import('#edge/routes'),
  schedules: [serveDomains],
  alerts,
  gauges,
  health,
  find: [
    {
      kind: 'Domain',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const isStaff = actor.audience === 'staff'
        const rows = await queryNewestMatching(
          isStaff ? Domain.query() : Domain.query().where({ accountId: accountIdOf(actor) }),
          containsOrStartsWith('subdomain')(text),
          limit
        )
        return rows.map(({ subdomain, status, serverInstanceId }) => ({
          name: subdomain,
          detail: domainStatuses[status],
          href: `${isStaff ? '/admin' : ''}/server-instance/${serverInstanceId}` as const,
        }))
      },
    },
  ],
  auditMessages,
  bind() {
    instanceDomainProvider.viewsOf = async ({ id }) =>
      domainViews(await Domain.query().where('serverInstanceId', id).orderBy('id'))
    instanceDomainProvider.save = saveDomains
    beforeInstanceDeletion((instance) => takeDown(instance))
    onInstanceDeletionCommit(takeDown)
    // The restored web server may have no TLS port. The edge uses plain HTTP until the instance's sites
    // are written again.
    onInstanceRestored('edge', async ({ id }, { isCertain, isRunning }) => {
      if (!isCertain && isRunning) return
      await Domain.query().where('serverInstanceId', id).update({ tlsPort: null })
    })
  },
})

async function takeDown({ id }: { id: number }, trx?: TransactionClientContract): Promise<void> {
  await Domain.query({ client: trx }).where('serverInstanceId', id).delete()
}
