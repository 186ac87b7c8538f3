/** Type-only exports keep server code out of the browser bundle. */
export type { BackupPage, BackupRow, BackupSettingsView } from '#backups/transformers/page_props'
