/** What other domains may use of backups. */
export { backupTrouble } from '#backups/queries/backups'
