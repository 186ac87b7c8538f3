import { invalid } from '#core/app_error'
import Domain from '#edge/models/domain'
import { assertNotOwnedByOthers, type DomainProofs } from '#edge/domain_ownership'
import { findReservedNameProblem } from '#edge/reserved_names'
import { ServerInstance } from '#instances/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Claims a domain for an instance. The edge serves it within seconds after the commit, once
 * ownership is proven.
 * @param name in the form of `normalizeDomainName`
 * @param proofs from `lookUpDomainProofs`
 * @throws 422 if the name belongs to this installation or another account, or points to another
 * instance
 */
export async function pointDomainAtInstance(
  instance: Pick<ServerInstance, 'id' | 'accountId'>,
  name: string,
  proofs: DomainProofs,
  trx: TransactionClientContract,
  field = 'subdomain'
): Promise<void> {
  const { id, accountId } = instance
  const reserved = findReservedNameProblem(name)
  if (reserved) throw invalid({ [field]: reserved })
  await assertNotOwnedByOthers(name, accountId, field, proofs, trx)
  await trx
    .insertQuery()
    .table('domains')
    .insert({ server_instance_id: id, account_id: accountId, subdomain: name, status: 'pending' })
    .onConflict(['account_id', 'subdomain'])
    .ignore()
  const claimed = await Domain.query({ client: trx })
    .where({ accountId, subdomain: name })
    .firstOrFail()
  if (claimed.serverInstanceId === id) return
  const other = await ServerInstance.find(claimed.serverInstanceId, { client: trx })
  throw invalid({
    [field]: `${name} already points to the server instance ${other?.name}. Remove it there first.`,
  })
}

export async function removeDomainClaim(
  instance: Pick<ServerInstance, 'id'>,
  name: string,
  trx?: TransactionClientContract
): Promise<void> {
  await Domain.query({ client: trx })
    .where({ serverInstanceId: instance.id, subdomain: name })
    .delete()
}

/** @param port inside the instance; null if its web server accepts only plain HTTP */
export async function setDomainTlsPort(
  instance: Pick<ServerInstance, 'id'>,
  name: string,
  port: number | null
): Promise<void> {
  await Domain.query()
    .where({ serverInstanceId: instance.id, subdomain: name })
    .update({ tlsPort: port })
}
