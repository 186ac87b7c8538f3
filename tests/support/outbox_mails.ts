import db from '@adonisjs/lucid/services/db'

export interface OutboxMail {
  id: number
  to: string
  from: string
  subject: string
  text: string
}

/** Lists emails in the outbox, newest first. In tests, no email is sent. */
export function listMailsTo(address: string): Promise<OutboxMail[]> {
  return db.from('outbox_mails').where('to', address).orderBy('id', 'desc')
}

export async function loadCodeSentTo(address: string): Promise<string> {
  const [mail] = await listMailsTo(address)
  const code = /\b\d{6}\b/.exec(mail?.subject ?? '')?.[0]
  if (!code) throw new Error(`No code was sent to ${address}`)
  return code
}
