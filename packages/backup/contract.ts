/** The worker sends jobs to the backup program over a socket, as JSON lines. The program responds in the same way. */

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
   * Creates a recovery point of all data of the installation. Also creates a base backup of the database if `full` is
   * set or no usable one exists.
   */
  | { job: 'backup'; target: BackupTarget; full: boolean; keep?: Retention }
  /**
   * Backs up one instance. After the JSON line with this job, the worker sends the instance's export (`size` bytes)
   * over the same socket.
   */
  | { job: 'instance'; target: BackupTarget; name: string; size: number; keep: Retention }
  /** Restores the newest recovery point into a separate folder, and compares it with the live data. */
  | { job: 'drill'; target: BackupTarget }
  /** Turns scheduled backups off. PostgreSQL then stops keeping its write-ahead log for them. */
  | { job: 'off' }
  /** Checks whether backups can be stored at the target. Creates the backup repository if it does not exist. */
  | { job: 'look'; target: BackupTarget }

/** Result of a backup job. Sizes are in bytes. */
export interface BackupJobResult {
  /**
   * Time of the recovery point, such as `2026-11-24T10:00:00.000Z`. The point contains all data that was committed
   * before it. For an instance, the time at which the program began to store its export.
   */
  at?: string
  full?: boolean
  /** `bytes`: size of the backed up data. `added`: bytes of it that the target did not have yet, before compression. */
  bytes?: number
  added?: number
  tables?: number
  rows?: number
  objects?: number
  secrets?: number
  /** Notes about data that was not compared, or that is missing in the backup. */
  notes?: string[]
}

export type BackupResponseMessage =
  | { note: string; share?: number }
  | { done: BackupJobResult }
  | { refused: string; code: string }
