/** What the worker asks of the program that backs up, and what it hears of it: lines of JSON over a socket. */

/** Where backups go: an absolute folder, or `s3:https://host/bucket/folder`. */
export interface BackupTarget {
  place: string
  /** Of a store that speaks S3. */
  accessKeyId?: string
  secretAccessKey?: string
  region?: string
}

/** How many of the newest points are kept, and of how many hours, days, weeks and months one each. */
export interface Retention {
  hours: number
  days: number
  weeks: number
  months: number
}

export type BackupJob =
  /** A base of the database where `full` or none is there yet, and a point with everything else. */
  | { job: 'backup'; target: BackupTarget; full: boolean; keep?: Retention }
  /** One instance, whose export of `size` bytes follows this line. */
  | { job: 'instance'; target: BackupTarget; name: string; size: number; keep: Retention }
  /** Restores the newest point beside this installation and compares. */
  | { job: 'drill'; target: BackupTarget }
  /** Nothing is backed up by schedule any more: the log of the database need not be kept. */
  | { job: 'off' }
  /** Whether the target can be used; makes the repository where there is none. */
  | { job: 'look'; target: BackupTarget }

/** What became of a job. Sizes in bytes. */
export interface BackupJobResult {
  /** `2026-11-24T10:00:00.000Z`: everything that was acknowledged before is in it. */
  at?: string
  full?: boolean
  /** Read, and what of it was new and went to the target (compressed). */
  bytes?: number
  added?: number
  /** Of a drill. */
  tables?: number
  rows?: number
  objects?: number
  secrets?: number
  /** What stands elsewhere and was not compared, or is not in the backup. */
  notes?: string[]
}

export type BackupResponseMessage =
  | { note: string; share?: number }
  | { done: BackupJobResult }
  /** `code`: wrong_key, full, away, busy, differs, refused. */
  | { refused: string; code: string }
