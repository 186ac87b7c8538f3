import { invalid } from '#core/app_error'
import Domain from '#edge/models/domain'
import { assertNotOwnedByOthers, type DomainProofs } from '#edge/domain_ownership'
import { findReservedNameProblem } from '#edge/reserved_names'
import { ServerInstance } from '#instances/public'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

/**
 * Claims a domain for an instance. Once ownership is proven, the edge serves the domain within
 * seconds.
 * @param name in the form of `normalizeDomainName`
 * @param proofs from `lookUpDomainProofs`
 * @throws 422 if the name belongs to this installation or another account, or points to another
 *   instance
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
    // If the row exists, sets its account to the same value. This locks the row, so that no other
    // project deletes it meanwhile.
    .merge(['account_id'])
  const claimed = await Domain.query({ client: trx })
    .where({ accountId, subdomain: name })
    .firstOrFail()
  if (claimed.serverInstanceId === id) return
  const other = await ServerInstance.find(claimed.serverInstanceId, { client: trx })
  throw invalid({
    [field]: `${name} already points to the server instance ${other?.name}. Remove it there first.`,
  })
}

/**
 * Claims all names of a project like `pointDomainAtInstance`. Locks the claims until the
 * transaction ends. In that transaction, the caller must then check that no other project has one
 * of the names.
 */
export async function claimProjectDomains(
  project: { id: number; instance: Pick<ServerInstance, 'id' | 'accountId'> },
  names: { name: string; field: string }[],
  proofs: DomainProofs,
  trx: TransactionClientContract
): Promise<void> {
  const { id, instance } = project
  // Changes the domains in alphabetical order. Two projects that swap domains would otherwise deadlock.
  for (const { name, field } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    await pointDomainAtInstance(instance, name, proofs, trx, field)
    await Domain.query({ client: trx })
      .where({ serverInstanceId: instance.id, subdomain: name })
      .update({ projectId: id })
  }
}

/** Removes the project's claims of these names. Keeps names that belong to another project. */
export async function removeDomainClaims(
  project: { id: number; serverInstanceId: number },
  names: string[]
): Promise<void> {
  await projectDomains(project, names).delete()
}

export interface ProjectDomainRoutes {
  main: string
  served: string[]
  redirected: string[]
  keepsHttp: boolean
  /** Port inside the instance; null if its web server accepts only plain HTTP. */
  tlsPort: number | null
}

export async function setDomainRoutes(
  project: { id: number; serverInstanceId: number },
  { main, served, redirected, keepsHttp, tlsPort }: ProjectDomainRoutes,
  client?: TransactionClientContract
): Promise<void> {
  const set = async (trx: TransactionClientContract) => {
    await lockDomains(projectDomains(project, [main, ...served, ...redirected], trx))
    const shared = { keepsHttp, tlsPort, projectId: project.id }
    const update = (names: string[], redirectTo: string | null) =>
      projectDomains(project, names, trx).update({ ...shared, redirectTo })
    await update([main, ...served], null)
    await update(redirected, main)
  }
  await (client ? set(client) : db.transaction(set))
}

/**
 * Locks domains in the order of their names. Transactions that lock the same domains in different
 * orders would deadlock.
 */
export async function lockDomains(
  domains: ModelQueryBuilderContract<typeof Domain>
): Promise<Domain[]> {
  // Sorts by character codes, as `claimProjectDomains` does, and not by the database's language.
  return domains.orderByRaw('subdomain collate "C"').forUpdate()
}

/**
 * Selects the project's domains, and those without a project. The instance's domain list or an
 * earlier release added the latter.
 */
function projectDomains(
  { id, serverInstanceId }: { id: number; serverInstanceId: number },
  names: string[],
  client?: TransactionClientContract
) {
  return Domain.query({ client })
    .where({ serverInstanceId })
    .whereIn('subdomain', names)
    .where((query) => query.whereNull('projectId').orWhere('projectId', id))
}
