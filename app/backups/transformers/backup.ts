import type Backup from '#backups/models/backup'
import { backupKinds } from '#backups/statuses'
import type { BackupSettings } from '#backups/backup_settings'
import type { BackupRow, BackupSettingsView } from '#backups/transformers/page_props'

export function backupRow(row: Backup): BackupRow {
  const { id, kind, systemId, status, startedAt, endedAt, at } = row
  return {
    id,
    kind,
    status,
    label: systemId ? `${backupKinds[kind]} ${systemId}` : backupKinds[kind],
    started_at: startedAt.toISO()!,
    took_ms: endedAt ? endedAt.diff(startedAt).as('milliseconds') : null,
    at: at?.toISO() ?? null,
    bytes: row.bytes,
    added: row.added,
    facts: row.facts,
    note: row.note,
    share: row.share,
    error: row.error,
  }
}

export function backupSettingsView(plan: BackupSettings, secret: boolean): BackupSettingsView {
  const { place, region, active, every, state, trouble, accessKeyId, fullHour, keep } = plan
  return {
    place,
    region,
    active,
    every,
    state,
    trouble,
    keep,
    access_key_id: accessKeyId,
    has_secret: secret,
    full_hour: fullHour,
  }
}
