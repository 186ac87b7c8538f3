import { accountIdOf, type Actor } from '#core/contracts/actor'
import Note from '#notes/models/note'

/** The notes of the account that somebody acts for. */
export function notesOfAccount(actor: Actor) {
  return Note.query().where('accountId', accountIdOf(actor))
}

/** How many notes an account has. */
export async function countNotes(accountId: number): Promise<number> {
  const [row] = await Note.query().where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}
