import type { Actor } from '#core/contracts/actor'
import Note from '#notes/models/note'

/** A customer's own notes. */
export function notesOf(actor: Actor) {
  return Note.query().where('customerId', actor.id)
}

/** How many notes a customer has. */
export async function countNotes(customerId: number): Promise<number> {
  const [row] = await Note.query().where({ customerId }).count('* as total')
  return Number(row.$extras.total)
}
