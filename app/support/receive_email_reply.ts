import type { ReplyMailEntry } from '#mail/public'
import { Person } from '#identity/public'
import { sendMessage } from '#support/actions/send_message'
import { MAX_TEXT_LENGTH } from '#support/limits'
import { clientIdOfEmailMessageId } from '#support/mails'
import { createHash } from 'node:crypto'

/**
 * Adds an email reply to the conversation. The same email is added only once. Returns `false` if
 * the email has no text of its own, is no reply to an email of Berth, or was not sent by the
 * customer, and for disabled customers.
 */
export async function receiveEmailReply(reply: Omit<ReplyMailEntry, 'id'>): Promise<boolean> {
  const text = unquoted(reply.body).slice(0, MAX_TEXT_LENGTH)
  if (!/\S/u.test(text)) return false
  for (const id of reply.refs) {
    const clientId = clientIdOfEmailMessageId(id)
    const client = clientId && (await Person.find(clientId))
    if (!client || client.audience !== 'customer' || client.disabledAt) continue
    if (client.email.toLowerCase() !== reply.sender.trim().toLowerCase()) continue
    await sendMessage(client, client.id, { text, key: keyOf(reply.messageId) })
    return true
  }
  return false
}

/** Removes quoted text and the signature from an email. */
function unquoted(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const at = lines.findIndex(
    (line, index) =>
      line.startsWith('>') || /^On .+wrote:$/.test(line) || (index > 0 && /^-- ?$/.test(line))
  )
  return (at > 0 ? lines.slice(0, at) : lines).join('\n').trim()
}

function keyOf(messageId: string): string {
  const hex = createHash('sha256').update(`mail ${messageId}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
