import type { BackupKind, BackupStatus, RestoreTestResult } from '#backups/statuses'
import type { BackupSettings } from '#backups/backup_settings'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { OperationView } from '#core/contracts/operation_view'
import type { Permission } from '#core/permission'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/backup': BackupPage
  }
}

/** A backup or restore test. Times are in ISO format, sizes in bytes. */
export interface BackupRow {
  id: number
  kind: BackupKind
  label: string
  status: BackupStatus
  started_at: string
  took_ms: number | null
  /** The backup contains every write acknowledged before this time. */
  at: string | null
  bytes: number | null
  added: number | null
  facts: RestoreTestResult | null
  note: string | null
  share: number | null
  error: string | null
}

export interface BackupSettingsView extends Pick<
  BackupSettings,
  'place' | 'region' | 'active' | 'every' | 'state' | 'trouble'
> {
  access_key_id: string | null
  /** Pages never show the saved key. */
  has_secret: boolean
  full_hour: number
  keep: BackupSettings['keep']
}

export interface BackupPage extends ListMeta {
  plan: BackupSettingsView | null
  trouble: string | null
  /** The newest successful full or point-in-time backup. `drill`: the newest finished restore test. */
  last: BackupRow | null
  drill: BackupRow | null
  mayRun: Permission
  mayDrill: Permission
  work: OperationView | null
  backups: BackupRow[]
  backupStatus: StatusLabels
}
