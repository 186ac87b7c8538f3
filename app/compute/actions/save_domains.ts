import { isOwnName } from '#compute/edge/domains'
import { domainName } from '#compute/edge/names'
import { tellDomainsChanged } from '#compute/hooks'
import Domain from '#compute/models/domain'
import ServerInstance from '#compute/models/server_instance'
import { assertCan } from '#compute/policies/instance_rules'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { invalid } from '#core/refusal'
import db from '@adonisjs/lucid/services/db'

/**
 * Makes the domain list of an instance what was saved: new names are pending until the edge serves
 * them, names left out go.
 * @throws 422 for what is no domain name or belongs to somebody else
 */
export async function saveDomains(
  actor: Actor,
  instanceId: number,
  typed: string[],
  ip?: string
): Promise<void> {
  const names = [...new Set(typed.map(readName))]
  const instance = await inOneStep(() =>
    db.transaction(async (trx) => {
      const row = await ServerInstance.query({ client: trx })
        .where('id', instanceId)
        .forUpdate()
        .firstOrFail()
      assertCan('domains', row)
      const before = await Domain.query({ client: trx }).where('serverInstanceId', row.id)
      await Domain.query({ client: trx })
        .where('serverInstanceId', row.id)
        .whereNotIn('subdomain', names)
        .delete()
      const known = new Set(before.map(({ subdomain }) => subdomain))
      for (const subdomain of names.filter((name) => !known.has(name))) {
        await Domain.create(
          { serverInstanceId: row.id, subdomain, status: 'pending', innerPort: 80 },
          { client: trx }
        )
      }
      await audit(
        {
          actor,
          customerId: row.customerId,
          action: 'instance.domains',
          subject: { type: 'server_instance', id: row.id, label: row.name },
          before: { domains: [...known] },
          after: { domains: names },
          ip,
        },
        trx
      )
      return row
    })
  )
  await tellDomainsChanged(instance)
}

function readName(typed: string): string {
  const name = domainName(typed)
  if (!name) throw invalid({ domains: `"${typed.slice(0, 100)}" is not a domain name.` })
  if (isOwnName(name)) throw invalid({ domains: `${name} is in use already.` })
  return name
}

async function inOneStep<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: string }
    if (code !== '23505') throw error
    const name = /\(subdomain\)=\((.*)\)/.exec(detail ?? '')?.[1] ?? 'One of them'
    throw invalid({ domains: `${name} is in use already.` })
  }
}
