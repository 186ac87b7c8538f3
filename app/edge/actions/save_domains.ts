import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { invalid } from '#core/app_error'
import { lockDomains, pointDomainAtInstance } from '#edge/domain_claims'
import { domainsAddedHooks } from '#edge/domain_hooks'
import { lookUpDomainProofs } from '#edge/domain_ownership'
import Domain from '#edge/models/domain'
import { parseDomain } from '#edge/domain_names'
import { assertInstanceCan, ServerInstance } from '#instances/public'
import db from '@adonisjs/lucid/services/db'

/**
 * Saves the instance's domain list. Deletes domains that are no longer in it.
 * @throws 422 if a name is invalid, belongs to another account, or points to another instance
 */
export async function saveDomains(
  actor: Actor,
  instanceId: number,
  typed: string[],
  ip?: string
): Promise<void> {
  const names = [...new Set(typed.map(readName))]
  const { accountId } = await ServerInstance.findOrFail(instanceId)
  const proofs = await lookUpDomainProofs(names, accountId)
  await db.transaction(async (trx) => {
    const instance = ServerInstance.query({ client: trx }).where('id', instanceId)
    // A plain `for update` would block a project that adds a domain, because that checks a foreign key
    // to this row.
    instance.knexQuery.forNoKeyUpdate()
    const row = await instance.firstOrFail()
    assertInstanceCan(actor.audience === 'staff' ? 'leadDomains' : 'domains', row)
    const before = await lockDomains(
      Domain.query({ client: trx }).where('serverInstanceId', row.id)
    )
    await Domain.query({ client: trx })
      .where('serverInstanceId', row.id)
      .whereNotIn('subdomain', names)
      .delete()
    const known = new Set(before.map(({ subdomain }) => subdomain))
    const added = names.filter((name) => !known.has(name)).sort()
    for (const name of added) await pointDomainAtInstance(row, name, proofs, trx, 'domains')
    for (const hook of domainsAddedHooks()) await hook(row, added, trx)
    await audit(
      {
        actor,
        accountId: row.accountId,
        action: 'instance.domains',
        subject: { type: 'server_instance', id: row.id, label: row.name },
        before: { domains: [...known] },
        after: { domains: names },
        ip,
      },
      trx
    )
  })
}

function readName(typed: string): string {
  const read = parseDomain(typed)
  if ('problem' in read) throw invalid({ domains: read.problem })
  return read.name
}
