import Domain from '#compute/models/domain'
import type ServerInstance from '#compute/models/server_instance'
import { invalid } from '#core/refusal'
import env from '#start/env'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Makes a name lead to an instance; one that leads to it already stays as it is. The edge serves it
 * within seconds of the commit.
 * @param name as `domainName` gives it
 * @throws 422 when it leads to another instance or is this installation's own
 */
export async function claimDomain(
  instance: Pick<ServerInstance, 'id'>,
  name: string,
  trx: TransactionClientContract
): Promise<void> {
  if (isOwnName(name)) throw taken()
  const row = { server_instance_id: instance.id, subdomain: name, status: 'pending' }
  await trx.insertQuery().table('domains').insert(row).onConflict('subdomain').ignore()
  const claimed = await Domain.query({ client: trx }).where('subdomain', name).firstOrFail()
  if (Number(claimed.serverInstanceId) !== Number(instance.id)) throw taken()
}

/** Whether a name is this installation's own or below it: no customer gets those. */
export function isOwnName(name: string): boolean {
  const own = new URL(env.get('APP_URL')).hostname
  return name === own || name.endsWith(`.${own}`)
}

/** Ends that a name leads to an instance. */
export async function releaseDomain(
  instance: Pick<ServerInstance, 'id'>,
  name: string,
  trx?: TransactionClientContract
): Promise<void> {
  await Domain.query({ client: trx })
    .where({ serverInstanceId: instance.id, subdomain: name })
    .delete()
}

function taken() {
  return invalid({ subdomain: 'This domain is taken already.' })
}
