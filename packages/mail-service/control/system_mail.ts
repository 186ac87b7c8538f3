import { createHash } from 'node:crypto'
import addressparser from 'nodemailer/lib/addressparser'
import type { ControlHandlers } from '#packages/service/control_handler'
import { parseEmailAddress, type EmailAddress } from '../addresses.js'
import type { Submission } from '../accept/submission_writer.js'
import { composeMessage } from '../accept/compose.js'
import { readMessage } from '../accept/message.js'
import { mailErrors } from '../errors.js'
import { newId } from '../ids.js'
import type { ControlApi, SystemMessage } from './contract.js'
import type { ControlDeps } from './server.js'

const SYSTEM_SENDER_ID = 0

/** Handles Berth's own emails, which have no limits and are not charged to an account. */
export function systemMailHandlers({
  commits,
  composing,
}: ControlDeps): Pick<ControlHandlers<ControlApi>, 'sendOwn'> {
  const submissionOf = async (own: SystemMessage): Promise<Submission> => {
    const from = mailboxOf(own.from)
    const to = mailboxOf(own.to)
    const message = readMessage(
      {
        sender_email: from.address,
        sender_name: from.name,
        subject: own.subject,
        recipient_email: to.address,
        recipient_name: to.name,
        text_body: own.text,
        mail_body: own.html,
        ...(own.replyTo && { reply_to: own.replyTo }),
      },
      from.address
    )
    if (!('unsubscribe' in message)) throw mailErrors.invalid(undefined, { errors: message })
    const [id, content] = [newId(), newId()]
    const checked = { ...message, unsubscribe: false } as Parameters<typeof composeMessage>[0]
    const host = composing.host ?? from.domain
    const { messageId } = own
    if (/[\s<>]/.test(messageId ?? '')) throw mailErrors.invalid('This is not a Message-ID.')
    const raw = await composeMessage(checked, {
      id,
      ...composing,
      host,
      messageId,
      trackOpens: false,
    })
    const digest = createHash('sha256').update(JSON.stringify(own)).digest('hex')
    const { address: recipient, domain: destination } = to
    return {
      sender: SYSTEM_SENDER_ID,
      key: null,
      idempotency: { key: own.key, digest },
      contents: [{ id: content, raw }],
      messages: [{ id, content, recipient, destination, subject: own.subject, secret: own.secret }],
    }
  }

  return {
    async sendOwn({ messages }) {
      const submissions = await Promise.all(messages.map(submissionOf))
      const accepted = await Promise.all(submissions.map((one) => commits.accept(one)))
      return { ids: accepted.map(({ ids }) => ids[0]!) }
    },
  }
}

function mailboxOf(text: string): EmailAddress & { name: string } {
  const [mailbox] = addressparser(text, { flatten: true }) as { name: string; address: string }[]
  const address = parseEmailAddress(mailbox?.address ?? '')
  if (typeof address === 'string') throw mailErrors.invalid(`${text}: ${address}`)
  return { ...address, name: mailbox!.name }
}
