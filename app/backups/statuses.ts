export const backupKinds = {
  full: 'Full backup',
  point: 'Recovery point',
  instance: 'Instance',
  drill: 'Restore test',
} as const
export type BackupKind = keyof typeof backupKinds

export const backupStatuses = { running: 'Running', done: 'Done', failed: 'Failed' } as const
export type BackupStatus = keyof typeof backupStatuses

export interface RestoreTestResult {
  tables: number
  rows: number
  objects: number
  secrets: number
  notes: string[]
}
