import type { Database } from '../store/database.js'
import type { ChangeCounters } from '../store/change_counters.js'
import { vaultPrices } from '../store/limits_and_prices.js'

const priceSql = (column: string, byDefault: string) =>
  `coalesce((select ${column} from vault.prices), ${byDefault})`

/**
 * SQL expression for the cost of vault `v` in the current month (UTC) in USD, beyond the included usage. Stored bytes
 * are averaged over the hours of the whole month.
 */
export const MONTH_COST_SQL = `(
  select coalesce(
    sum(u.requests) * ${priceSql('request', vaultPrices.request)}
    + greatest(sum(u.bytes_out)::numeric / ${vaultPrices.gb} - ${vaultPrices.includedBandwidthGb}, 0) * ${priceSql('bandwidth_gb', vaultPrices.bandwidthGb)}
    + greatest(sum(u.byte_hours) / ${vaultPrices.gb}
        / (extract(epoch from date_trunc('month', now() at time zone 'UTC') + interval '1 month'
            - date_trunc('month', now() at time zone 'UTC')) / 3600)
        - ${vaultPrices.includedStorageGb}, 0) * ${priceSql('storage_gb', vaultPrices.storageGb)}, 0)
  from vault.usage u
  where u.vault_id = v.id and u.day >= date_trunc('month', now() at time zone 'UTC')::date)`

/** Blocks vaults whose costs have reached the monthly limit that their owner set, and unblocks vaults below it. */
export async function applySpendingLimits(
  database: Database,
  generations: ChangeCounters
): Promise<void> {
  const changed = await database.rows<{ id: number }>(
    `with found as (
       select v.id, v.limit_reached, v.monthly_limit is not null and ${MONTH_COST_SQL} >= v.monthly_limit as reached
       from vault.vaults v where v.monthly_limit is not null or v.limit_reached)
     update vault.vaults v set limit_reached = f.reached from found f
     where f.id = v.id and f.reached <> f.limit_reached returning v.id`
  )
  for (const { id } of changed) generations.bumpVault(id)
}

/**
 * Adds the bytes that each vault stores now to its usage of the day. Does nothing if that was already done in the
 * current hour. Includes parts of unfinished uploads, and bodies that were deleted in the previous hour but not removed
 * yet. Otherwise customers could fill the disk without paying. Bodies that wait longer for removal, because backups
 * fail, are not counted.
 */
export async function recordHourlyStorageUsage(database: Database): Promise<void> {
  await database.transaction(async (client) => {
    const hour = await client.query(
      `insert into vault.held_hours (hour) values (date_trunc('hour', now())) on conflict do nothing
       returning hour`
    )
    if (hour.rows.length === 0) return
    await client.query(
      `insert into vault.usage as u (vault_id, account_id, day, byte_hours)
       select v.id, v.account_id, (date_trunc('hour', now()) at time zone 'UTC')::date, held.bytes
       from vault.vaults v left join (
         select vault_id, sum(size) as bytes from vault.doomed
         where at >= date_trunc('hour', now()) - interval '1 hour' and at < date_trunc('hour', now())
         group by vault_id) d on d.vault_id = v.id
       cross join lateral (
         select v.bytes + coalesce(d.bytes, 0) + coalesce(sum(p.size), 0) as bytes
         from vault.uploads o join vault.parts p on p.upload_id = o.id
         where o.vault_id = v.id and o.completed_at is null) held
       where held.bytes > 0
       on conflict (vault_id, day) do update set byte_hours = u.byte_hours + excluded.byte_hours`
    )
  })
}
