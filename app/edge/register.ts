/** What the worker (and tests) must know of the edge, and what it tells instances. */
import '#edge/schedules/serve_domains'
import { saveDomains } from '#edge/actions/save_domains'
import { domainList, onInstanceDeleted, onInstanceGone } from '#instances/public'
import Domain from '#edge/models/domain'
import { domainViews } from '#edge/transformers/domain'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

domainList.viewsOf = async ({ id }) =>
  domainViews(await Domain.query().where('serverInstanceId', id).orderBy('id'))
domainList.save = saveDomains

async function takeDown({ id }: { id: number }, trx?: TransactionClientContract): Promise<void> {
  await Domain.query({ client: trx }).where('serverInstanceId', id).delete()
}

onInstanceDeleted((instance) => takeDown(instance))
onInstanceGone(takeDown)
