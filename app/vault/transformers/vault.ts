import type { CustomerSummary } from '#core/contracts/customer_summary'
import type Vault from '#vault/models/vault'
import type {
  AdminVaultRow,
  FileRow,
  AccessKeyRow,
  ObjectListing,
  UsageHistory,
  VaultDetails,
  VaultRow,
} from '#vault/transformers/page_props'
import type {
  ControlOutput,
  DailyVaultUsage,
  FileEntry,
  KeyEntry,
  VaultInfo,
} from '#packages/vault-service/control/contract'
import { DateTime } from 'luxon'

/** Secrets are returned only on request. */
const SECRET_MASK = '••••••••'
const SECONDS_PER_DAY = 86_400
export const CHART_DAYS = 90

export function vaultRow(vault: Vault): VaultRow {
  const { id, name, key, status, secretKey, bytes, objects, createdAt } = vault
  return {
    id,
    name,
    key,
    status,
    bytes,
    objects,
    secret_key: status === 'active' && secretKey ? SECRET_MASK : null,
    request_count: byMonth(vault.requestCount),
    created_at: createdAt.toISO()!,
  }
}

export function adminVaultRow(vault: Vault, customer: CustomerSummary | undefined): AdminVaultRow {
  const { secret_key: _, ...row } = vaultRow(vault)
  const { statusReason, store, toMove, damaged } = vault
  return {
    ...row,
    status_reason: statusReason,
    store,
    to_move: toMove,
    damaged,
    customer: customer ?? null,
  }
}

/** Newest month first, always with the current month (docs/product.md, "Words and statuses"). */
function byMonth(counts: Record<string, number>): Record<string, number> {
  const all = { [DateTime.utc().toFormat('yyyy-MM')]: 0, ...counts }
  return Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? 1 : -1)))
}

export function objectListing({ folders, files, next }: ControlOutput<'list'>): ObjectListing {
  return { folders, files: files.map(fileRow), next: next ?? null }
}

function fileRow({ name, size, type, modifiedAt }: FileEntry): FileRow {
  const short = name.slice(name.lastIndexOf('/') + 1)
  return { name: short, path: name, type, size, last_modified: modifiedAt }
}

export function vaultDetails(info: VaultInfo): VaultDetails {
  const { requests, bytesIn, bytesOut, cost } = info.month
  return {
    is_private: info.isPrivate,
    cors: info.cors,
    monthly_limit: info.monthlyLimit,
    limit_reached: info.limitReached,
    bytes: info.bytes,
    objects: info.objects,
    damaged: info.findings,
    read_only: info.state === 'read_only',
    month: { requests, bytes_in: bytesIn, bytes_out: bytesOut, cost },
  }
}

export function accessKeyRow({
  id,
  accessKeyId,
  name,
  readOnly,
  expiresAt,
  createdAt,
}: KeyEntry): AccessKeyRow {
  return {
    id,
    name,
    access_key_id: accessKeyId,
    read_only: readOnly,
    expires_at: expiresAt,
    created_at: createdAt,
  }
}

/** Days without usage are 0. */
export function usageHistory(days: DailyVaultUsage[], last: DateTime): UsageHistory {
  const first = last.startOf('day').minus({ days: CHART_DAYS - 1 })
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: CHART_DAYS }, (_day, index) =>
    byDay.get(first.plus({ days: index }).toISODate()!)
  )
  return {
    range: '90d',
    from: first.toSeconds(),
    point: SECONDS_PER_DAY,
    count: CHART_DAYS,
    series: {
      requests: all.map((day) => day?.requests ?? 0),
      bytes_out: all.map((day) => day?.bytesOut ?? 0),
      bytes_in: all.map((day) => day?.bytesIn ?? 0),
      held: all.map((day) => Number(day?.byteHours ?? 0) / 24),
    },
  }
}
