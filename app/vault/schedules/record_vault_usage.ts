import { recordUsage, type UsageReport, UsageEvent } from '#catalog/public'
import { defineSchedule } from '#core/schedules/schedules'
import { SYSTEM_ACCOUNT_ID } from '#vault/system_bucket'
import { callVaultService } from '#vault/call_vault_service'
import type { DailyVaultUsage } from '#packages/vault-service/control/contract'
import { DateTime } from 'luxon'

/**
 * Each run reads the last recorded day and this number of days before it again. The service may complete their counts
 * late.
 */
const REREAD_DAYS = 3

export default defineSchedule({
  name: 'vault.usage',
  label: 'Records the vault usage of past days for billing',
  every: 3_600,
  async run(signal) {
    let after = { day: await firstDay(), vaultId: 0 }
    while (!signal.aborted) {
      const days = await callVaultService('closedDays', { after })
      const last = days.at(-1)
      if (!last) return
      // The system bucket is not billed.
      await recordUsage(
        days.filter(({ accountId }) => accountId !== SYSTEM_ACCOUNT_ID).flatMap(usesOf)
      )
      after = { day: last.day, vaultId: last.vaultId }
    }
  },
})

async function firstDay(): Promise<string> {
  const newest = await UsageEvent.query()
    .where('meter', 'vault.byte_hours')
    .orderBy('at', 'desc')
    .first()
  return newest ? newest.at.toUTC().minus({ days: REREAD_DAYS }).toISODate()! : '2000-01-01'
}

/**
 * Converts a day's usage into billable quantities: requests, bytes sent, and stored bytes times hours. Bytes
 * can be negative: a download is counted at its start, and corrected the next day if it stopped early after
 * midnight.
 */
function usesOf({ vaultId, accountId, day, ...used }: DailyVaultUsage): UsageReport[] {
  const at = DateTime.fromISO(day, { zone: 'utc' })
  const quantities = [
    ['requests', String(used.requests)],
    ['bytes_out', String(used.bytesOut)],
    ['byte_hours', used.byteHours],
  ] as const
  // A quantity of 0 is reported too, because it can correct an earlier report.
  return quantities.map(([meter, quantity]) => ({
    accountId,
    meter: `vault.${meter}`,
    quantity,
    at,
    source: `vault:${vaultId}:${day}:${meter}`,
    thing: `vault:${vaultId}`,
  }))
}
