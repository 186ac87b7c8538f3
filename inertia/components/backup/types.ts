/** Exports types only, so that no server code gets into the browser bundle. */
export type { BackupPage, BackupRow, BackupSettingsView } from '#backups/transformers/page_props'
