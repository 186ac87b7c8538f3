import { localMachineId } from '#core/local_host'
import Domain from '#edge/models/domain'
import type { NeededPort } from '#edge/remote_ports'
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Rows per query, to limit memory use with many domains. */
const PAGE_ROWS = 5_000

/**
 * A domain that the local edge serves. Its ownership is proven. Its instance runs on a host that
 * this console machine manages.
 */
export interface DomainRow {
  id: number
  subdomain: string
  status: string
  wants_certificate: boolean
  certificate_asked_at: Date | null
  server_instance_id: number
  private_ip: string
  inner_port: number
  tls_port: number | null
  keeps_http: boolean
  /**
   * Primary domain to which the edge redirects. Null: there is none, or HTTPS does not work there
   * yet.
   */
  target: string | null
  host_ip: string
  host_status: string
  is_local: boolean
}

const [DOMAINS, INSTANCES, HOSTS] = [Domain.table, ServerInstance.table, HostInstance.table]

function domainsToServe(client: Pick<TransactionClientContract, 'from'> = db) {
  return client
    .from(DOMAINS)
    .join(INSTANCES, `${INSTANCES}.id`, `${DOMAINS}.server_instance_id`)
    .join(HOSTS, `${HOSTS}.id`, `${INSTANCES}.host_instance_id`)
    .where(`${HOSTS}.machine_id`, localMachineId())
    .where(`${INSTANCES}.status`, 'active')
    .whereNotNull(`${INSTANCES}.private_ip`)
    .whereNotNull(`${DOMAINS}.proven_at`)
}

/**
 * Joins the domain to which the edge redirects. Browsers cache redirects, so the target must be
 * active. It must not be a redirect too, because that could loop.
 */
const joinRedirectTarget = `left join ${DOMAINS} as target
  on target.subdomain = ${DOMAINS}.redirect_to and target.project_id = ${DOMAINS}.project_id
  and target.server_instance_id = ${DOMAINS}.server_instance_id and target.status = 'active'
  and target.proven_at is not null and target.redirect_to is null`

/** Calls `use` for each domain. Reads all pages of the query in one database snapshot. */
export async function forEachDomainToServe(use: (row: DomainRow) => void): Promise<void> {
  const readAll = async (trx: TransactionClientContract) => {
    for (let after = 0; ;) {
      const rows: DomainRow[] = await domainsToServe(trx)
        .joinRaw(joinRedirectTarget)
        .where(`${DOMAINS}.id`, '>', after)
        .orderBy(`${DOMAINS}.id`)
        .limit(PAGE_ROWS)
        .select(
          `${DOMAINS}.id`,
          `${DOMAINS}.subdomain`,
          `${DOMAINS}.status`,
          `${DOMAINS}.wants_certificate`,
          `${DOMAINS}.certificate_asked_at`,
          `${DOMAINS}.server_instance_id`,
          `${INSTANCES}.private_ip`,
          `${DOMAINS}.inner_port`,
          `${DOMAINS}.tls_port`,
          `${DOMAINS}.keeps_http`,
          'target.subdomain as target',
          `${HOSTS}.ip as host_ip`,
          `${HOSTS}.status as host_status`,
          `${HOSTS}.is_local`
        )
      rows.forEach(use)
      if (rows.length < PAGE_ROWS) return
      after = rows.at(-1)!.id
    }
  }
  await db.transaction(readAll, { isolationLevel: 'repeatable read' })
}

/**
 * Lists the ports that the edge needs on instances of other hosts. For inactive domains whose ids
 * are in `due`, the ports are marked to be forwarded again.
 */
export async function listNeededPorts(due: Set<string>): Promise<NeededPort[]> {
  const again = `bool_or(${DOMAINS}.status <> 'active' and ${DOMAINS}.id = any(?::bigint[])) as again`
  return domainsToServe()
    .joinRaw(
      `cross join lateral (values (${DOMAINS}.inner_port), (${DOMAINS}.tls_port)) as way(port)`
    )
    .where(`${HOSTS}.is_local`, false)
    .whereNotNull('way.port')
    .groupBy(`${DOMAINS}.server_instance_id`, 'way.port', `${HOSTS}.status`)
    .select(
      `${DOMAINS}.server_instance_id`,
      'way.port as inner_port',
      `${HOSTS}.status as host_status`,
      db.raw(again, [[...due]])
    )
}
