/** What the worker (and tests) must know of the edge, and what it tells instances. */
import '#compute/schedules/serve_domains'
import { saveDomains } from '#compute/actions/save_domains'
import { domainList } from '#compute/domain_list'
import { onInstanceDeleted, onInstanceGone } from '#compute/hooks'
import Domain from '#compute/models/domain'
import { domainViews } from '#compute/transformers/domain'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

domainList.viewsOf = async ({ id }) =>
  domainViews(await Domain.query().where('serverInstanceId', id).orderBy('id'))
domainList.save = saveDomains

async function takeDown({ id }: { id: number }, trx?: TransactionClientContract): Promise<void> {
  await Domain.query({ client: trx }).where('serverInstanceId', id).delete()
}

onInstanceDeleted((instance) => takeDown(instance))
onInstanceGone(takeDown)
