import { AppError } from '#core/app_error'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'

/** A second place where an account can keep copies of its databases. */
export interface BackupCopyDestination {
  id: number
  name: string
  /** Why it cannot take copies now, in words; null when it can. */
  problem: string | null
}

/** A place of an account; of another account it is not there. */
export interface BackupCopyDestinationKey {
  accountId: number
  destinationId: number
}

/** What a domain above says of such places and does with them. Addresses are for the worker, and end soon. */
export interface BackupCopyDestinationProvider {
  /** All that the account has, by name. */
  places(accountId: number): Promise<BackupCopyDestination[]>
  /** Where so many bytes are sent with PUT. Refuses, in words, where the place has a problem. */
  upload(at: BackupCopyDestinationKey, name: string, size: number): Promise<string>
  /** Where they are read with GET. Refuses where they cannot be. */
  download(at: BackupCopyDestinationKey, name: string): Promise<string>
  /** Fine when they, or the whole place, are gone. */
  remove(at: BackupCopyDestinationKey, names: string[]): Promise<void>
}

let boundProvider: BackupCopyDestinationProvider | null = null

/** A domain above keeps copies; the last one to say so does. Returns who did before; null is nobody. */
export function bindBackupCopyDestinationProvider(
  provider: BackupCopyDestinationProvider | null
): BackupCopyDestinationProvider | null {
  const before = boundProvider
  boundProvider = provider
  return before
}

/** Whoever keeps copies. Throws 503 where nobody does. */
export function getBackupCopyDestinationProvider(): BackupCopyDestinationProvider {
  if (!boundProvider)
    throw new AppError(
      'no_keeper',
      503,
      'Backups cannot be copied to a vault here, because vaults are not available.'
    )
  return boundProvider
}

/** How many copies are in such a place, and how many databases are to have theirs there. */
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

/** Whether copies are in such a place, or are to go there. */
export async function isBackupDestinationInUse(destinationId: number): Promise<boolean> {
  const { copies, databases } = await countBackupDestinationUse(destinationId)
  return copies + databases > 0
}

/** The second places of an account; none where nobody keeps copies. */
export async function listBackupCopyDestinations(
  accountId: number
): Promise<BackupCopyDestination[]> {
  return boundProvider ? boundProvider.places(accountId) : []
}
