import Sender from '#mail/models/sender'
import { loadAccountStatusesOfSenders } from '#mail/queries/senders'
import { callMailService } from '#mail/call_mail_service'
import { senderServiceState } from '#mail/states/sender'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

const SENDER_BATCH_SIZE = 200
/**
 * Days after the deletion of a sender during which the sync still tries to delete it at the mail
 * service.
 */
const DELETION_RETRY_DAYS = 30

/** If the mail service fails, a schedule sends the states later. */
export async function syncSendersOfAccount({ id: accountId }: { id: number }): Promise<void> {
  try {
    await syncSenders(await Sender.live().where({ accountId }))
  } catch (error) {
    logger.warn(
      { err: error, account: accountId },
      'senders could not be updated after a change of their account'
    )
  }
}

export async function syncAllSenders(signal: AbortSignal): Promise<void> {
  const lately = DateTime.utc().minus({ days: DELETION_RETRY_DAYS }).toSQL()!
  for (let after = 0; !signal.aborted;) {
    const senders = await Sender.query()
      .where('id', '>', after)
      .where((query) => {
        void query
          .whereIn('status', ['pending', 'verified', 'suspended'])
          .orWhere('deletedAt', '>', lately)
      })
      .orderBy('id')
      .limit(SENDER_BATCH_SIZE)
    if (senders.length === 0) return
    await syncSenders(senders)
    after = senders.at(-1)!.id
  }
}

/** Also saves the message counts that the mail service returns. */
async function syncSenders(senders: Sender[]): Promise<void> {
  if (senders.length === 0) return
  const ids = senders.map(({ id }) => id)
  const [infos, counts, suspensions] = await Promise.all([
    callMailService('senders', { ids }),
    callMailService('sentCounts', { ids }),
    loadAccountStatusesOfSenders(senders),
  ])
  const known = new Map(infos.map((info) => [info.id, info]))
  for (const sender of senders) {
    const info = known.get(sender.id)
    if (!info) continue
    const state = senderServiceState(sender, suspensions.get(sender.accountId) ?? 'closed')
    if (info.state !== state && info.state !== 'deleted') {
      await callMailService('changeSender', { id: sender.id, state })
    }
    await saveSender(sender, counts[sender.id] ?? {})
  }
}

/** Saves only the counts, so that concurrent changes of other columns are not overwritten. */
async function saveSender(sender: Sender, sentMailCount: Record<string, number>): Promise<void> {
  const asBefore = Object.entries(sentMailCount).every(
    ([month, count]) => sender.sentMailCount[month] === count
  )
  if (asBefore) return
  await Sender.query()
    .where('id', sender.id)
    .update({ sentMailCount: JSON.stringify(sentMailCount) })
}
