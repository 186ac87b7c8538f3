export {
  type BackupCopyDestinationKey,
  type BackupCopyDestinationProvider,
  countBackupDestinationUse,
  isBackupDestinationInUse,
  bindBackupCopyDestinationProvider,
} from '#databases/backup_copy_destinations'
