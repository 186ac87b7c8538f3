import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import type Greeting from '#greetings/models/greeting'
import { applyGreetingOperation } from '#greetings/operations/apply_greeting'
import db from '@adonisjs/lucid/services/db'

/** Saves a greeting. In the same transaction, starts the operation that writes it into the instance. */
export function saveAndApplyGreeting(greeting: Greeting): Promise<Operation> {
  return db.transaction(async (trx) => {
    await greeting.useTransaction(trx).save()
    return startOperation(
      applyGreetingOperation,
      { greetingId: greeting.id },
      {
        title: greeting.status === 'deleting' ? 'Deleting a greeting' : 'Writing a greeting',
        accountId: greeting.accountId,
        subject: { type: 'greeting', id: greeting.id },
        trx,
      }
    )
  })
}
