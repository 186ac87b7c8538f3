/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { BackupPage, BackupRow, BackupSettingsView } from '#backups/transformers/page_props'
