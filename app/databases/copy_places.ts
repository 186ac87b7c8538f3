import { Refusal } from '#core/refusal'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'

/** A second place where an account can keep copies of its databases. */
export interface CopyPlace {
  id: number
  name: string
  /** Why it cannot take copies now, in words; null when it can. */
  problem: string | null
}

/** A place of an account; of another account it is not there. */
export interface CopyAt {
  accountId: number
  placeId: number
}

/** What a domain above says of such places and does with them. Addresses are for the worker, and end soon. */
export interface CopyKeeper {
  /** All that the account has, by name. */
  places(accountId: number): Promise<CopyPlace[]>
  /** Where so many bytes are sent with PUT. Refuses, in words, where the place has a problem. */
  upload(at: CopyAt, name: string, size: number): Promise<string>
  /** Where they are read with GET. Refuses where they cannot be. */
  download(at: CopyAt, name: string): Promise<string>
  /** Fine when they, or the whole place, are gone. */
  remove(at: CopyAt, names: string[]): Promise<void>
}

let bound: CopyKeeper | null = null

/** A domain above keeps copies; the last one to say so does. Returns who did before; null is nobody. */
export function keepCopiesIn(keeper: CopyKeeper | null): CopyKeeper | null {
  const before = bound
  bound = keeper
  return before
}

/** Whoever keeps copies. Throws 503 where nobody does. */
export function copyKeeper(): CopyKeeper {
  if (!bound) throw new Refusal('no_keeper', 503, 'There is no second place for copies here.')
  return bound
}

/** How many copies are in such a place, and how many databases are to have theirs there. */
export async function copiesIn(placeId: number): Promise<{ copies: number; databases: number }> {
  const [copies] = await DatabaseBackup.live()
    .where('elsewhereVaultId', placeId)
    .whereNotNull('elsewhere')
    .count('* as total')
  const [databases] = await Database.live().where('backupVaultId', placeId).count('* as total')
  return { copies: Number(copies.$extras.total), databases: Number(databases.$extras.total) }
}

/** Whether copies are in such a place, or are to go there. */
export async function hasCopies(placeId: number): Promise<boolean> {
  const { copies, databases } = await copiesIn(placeId)
  return copies + databases > 0
}

/** The second places of an account; none where nobody keeps copies. */
export async function copyPlaces(accountId: number): Promise<CopyPlace[]> {
  return bound ? bound.places(accountId) : []
}
