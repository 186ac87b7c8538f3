import db from '@adonisjs/lucid/services/db'

export interface CaughtMail {
  id: number
  to: string
  from: string
  subject: string
  text: string
}

/** Returns the emails to an address, newest first. In tests, emails are not sent but stay in the outbox. */
export function listMailsTo(address: string): Promise<CaughtMail[]> {
  return db.from('outbox_mails').where('to', address).orderBy('id', 'desc')
}

export async function loadCodeSentTo(address: string): Promise<string> {
  const [mail] = await listMailsTo(address)
  const code = /\b\d{6}\b/.exec(mail?.subject ?? '')?.[0]
  if (!code) throw new Error(`No code was sent to ${address}`)
  return code
}
