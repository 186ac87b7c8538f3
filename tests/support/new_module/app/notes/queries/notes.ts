import { accountIdOf, type Actor } from '#core/contracts/actor'
import Note from '#notes/models/note'

export function notesOfAccount(actor: Actor) {
  return Note.query().where('accountId', accountIdOf(actor))
}

export async function countNotes(accountId: number): Promise<number> {
  const [row] = await Note.query().where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}
