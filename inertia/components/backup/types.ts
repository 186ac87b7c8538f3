/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type { BackupPage, BackupRow, BackupPlanView } from '#backups/transformers/pages'
