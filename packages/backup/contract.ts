/** JSON lines over a socket, between the worker and the backup program. */

/** An absolute folder, or `s3:https://host/bucket/folder`. */
export interface BackupTarget {
  place: string
  /** Credentials of an S3 storage. */
  accessKeyId?: string
  secretAccessKey?: string
  region?: string
}

/** Numbers of recovery points to keep: one per hour, day, week and month. */
export interface Retention {
  hours: number
  days: number
  weeks: number
  months: number
}

export type BackupJob =
  /**
   * Creates a recovery point of everything, and a base backup of the database if `full` or if there is none
   * yet.
   */
  | { job: 'backup'; target: BackupTarget; full: boolean; keep?: Retention }
  /** Backs up one instance. Its export of `size` bytes follows this line. */
  | { job: 'instance'; target: BackupTarget; name: string; size: number; keep: Retention }
  /** Restores the newest recovery point next to this installation and compares them. */
  | { job: 'drill'; target: BackupTarget }
  /** Ends scheduled backups, so that PostgreSQL need not keep its write-ahead log for them. */
  | { job: 'off' }
  /** Checks whether the target can be used. Creates a missing repository. */
  | { job: 'look'; target: BackupTarget }

/** Sizes are in bytes. */
export interface BackupJobResult {
  /**
   * For example `2026-11-24T10:00:00.000Z`. The backup contains everything that was acknowledged before this
   * time.
   */
  at?: string
  full?: boolean
  /** Bytes read, and the new bytes sent to the target (`added`, compressed). */
  bytes?: number
  added?: number
  tables?: number
  rows?: number
  objects?: number
  secrets?: number
  /** Data that was not compared or that the backup does not contain. */
  notes?: string[]
}

export type BackupResponseMessage =
  | { note: string; share?: number }
  | { done: BackupJobResult }
  /** `code`: wrong_key, full, away, busy, differs or refused. */
  | { refused: string; code: string }
