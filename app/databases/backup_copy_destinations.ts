import { AppError } from '#core/app_error'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'

export interface BackupCopyDestination {
  id: number
  name: string
  problem: string | null
}

export interface BackupCopyDestinationKey {
  accountId: number
  destinationId: number
}

/**
 * Provides URLs to upload and download copies of backups, and removes copies. The vault module implements it. The
 * URLs expire soon. Only Berth's own processes use them, never a browser.
 */
export interface BackupCopyDestinationProvider {
  places(accountId: number): Promise<BackupCopyDestination[]>
  /**
   * Returns a URL for PUT of a file with `size` bytes.
   * @throws AppError if the destination has a problem
   */
  upload(at: BackupCopyDestinationKey, name: string, size: number): Promise<string>
  /**
   * Returns a URL for GET of a file.
   * @throws AppError if the file cannot be read
   */
  download(at: BackupCopyDestinationKey, name: string): Promise<string>
  /** Removes files. Also succeeds if the files or the whole destination no longer exist. */
  remove(at: BackupCopyDestinationKey, names: string[]): Promise<void>
}

let boundProvider: BackupCopyDestinationProvider | null = null

export function bindBackupCopyDestinationProvider(
  provider: BackupCopyDestinationProvider | null
): BackupCopyDestinationProvider | null {
  const before = boundProvider
  boundProvider = provider
  return before
}

/** @throws AppError 503 if no provider is bound */
export function getBackupCopyDestinationProvider(): BackupCopyDestinationProvider {
  if (!boundProvider)
    throw new AppError(
      'no_keeper',
      503,
      'Backups cannot be copied to a vault here, because vaults are not available.'
    )
  return boundProvider
}

export async function countBackupDestinationUse(
  destinationId: number
): Promise<{ copies: number; databases: number }> {
  const [copies] = await DatabaseBackup.live()
    .where('elsewhereVaultId', destinationId)
    .whereNotNull('elsewhere')
    .count('* as total')
  const [databases] = await Database.live()
    .where('backupVaultId', destinationId)
    .count('* as total')
  return { copies: Number(copies.$extras.total), databases: Number(databases.$extras.total) }
}

export async function isBackupDestinationInUse(destinationId: number): Promise<boolean> {
  const { copies, databases } = await countBackupDestinationUse(destinationId)
  return copies + databases > 0
}

export async function listBackupCopyDestinations(
  accountId: number
): Promise<BackupCopyDestination[]> {
  return boundProvider ? boundProvider.places(accountId) : []
}
