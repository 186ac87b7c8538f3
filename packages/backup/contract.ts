/** JSON lines that the worker and the backup program exchange over a socket. */

/** Where backups are stored: an absolute folder path, or `s3:https://host/bucket/folder`. */
export interface BackupTarget {
  place: string
  accessKeyId?: string
  secretAccessKey?: string
  region?: string
}

/** Number of recovery points to keep for each period. */
export interface Retention {
  hours: number
  days: number
  weeks: number
  months: number
}

export type BackupJob =
  /**
   * Creates a recovery point of all data. Also creates a base backup of the database if `full` is set or none
   * exists.
   */
  | { job: 'backup'; target: BackupTarget; full: boolean; keep?: Retention }
  /** Backs up one instance. The instance's export of `size` bytes follows this line. */
  | { job: 'instance'; target: BackupTarget; name: string; size: number; keep: Retention }
  /** Restores the newest recovery point next to this installation and compares them. */
  | { job: 'drill'; target: BackupTarget }
  /** Ends scheduled backups. PostgreSQL then stops keeping its write-ahead log for them. */
  | { job: 'off' }
  /** Checks whether the target can be used. Creates a missing repository. */
  | { job: 'look'; target: BackupTarget }

/** Result of a backup job. Sizes are in bytes. */
export interface BackupJobResult {
  /** Time such as `2026-11-24T10:00:00.000Z`. The backup contains all data that was committed before it. */
  at?: string
  full?: boolean
  /** `bytes`: bytes that were read. `added`: new bytes that were sent to the target, after compression. */
  bytes?: number
  added?: number
  tables?: number
  rows?: number
  objects?: number
  secrets?: number
  /** Notes on data that was not compared, or that the backup lacks. */
  notes?: string[]
}

export type BackupResponseMessage =
  | { note: string; share?: number }
  | { done: BackupJobResult }
  | { refused: string; code: string }
