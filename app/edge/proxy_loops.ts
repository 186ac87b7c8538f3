import { publish } from '#core/live/live_events'
import Domain from '#edge/models/domain'
import { type EdgeSettings, readLastProxyLoops } from '#packages/edge/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

const READ_INTERVAL_MS = 60_000

const lastReadAtByFile = new Map<string, number>()

/**
 * Saves, for each domain, when the local edge last answered 508 (proxy loop). Reads the log at most
 * once a minute.
 * @param now ms since 1970
 */
export async function recordProxyLoops(
  { proxyLoopLog }: Pick<EdgeSettings, 'proxyLoopLog'>,
  now = Date.now()
): Promise<void> {
  if (now < (lastReadAtByFile.get(proxyLoopLog) ?? 0) + READ_INTERVAL_MS) return
  lastReadAtByFile.set(proxyLoopLog, now)
  const loops = await readLastProxyLoops(proxyLoopLog).catch((error: unknown) => {
    logger.warn({ err: error }, 'the log of proxy loops cannot be read')
    return new Map<string, Date>()
  })
  if (loops.size === 0) return
  const { rows } = await db.rawQuery<{
    rows: { server_instance_id: number; account_id: number }[]
  }>(
    `update ${Domain.table} as domain set proxy_loop_at = seen.at
     from unnest(?::text[], ?::timestamptz[]) as seen (name, at)
     where domain.subdomain = seen.name and domain.proven_at is not null
       and (domain.proxy_loop_at is null or domain.proxy_loop_at < seen.at)
     returning domain.server_instance_id, domain.account_id`,
    [[...loops.keys()], [...loops.values()].map((at) => at.toISOString())]
  )
  for (const { server_instance_id: id, account_id: owner } of rows)
    await publish(`server_instance:${id}`, { owner })
}
