import { makeBills } from '#billing/charging/make_bills'
import { chargeAll, tellOfNew } from '#billing/charging/run_billing'
import BillingRun from '#billing/models/billing_run'
import { billsOfRun, skippedNow } from '#billing/queries/runs'
import { defineOperation } from '#core/operations/operations'
import { DateTime } from 'luxon'

interface Input {
  runId: number
  /** ISO time at which it was started: what is charged does not depend on when it goes on. */
  at: string
}

/**
 * What the schedule does, when staff ask for it (decision 0035). Each step takes up what is not charged, billed
 * or told yet, so that one that was cut off goes on where it was.
 */
export const billingRun = defineOperation<Input>({
  kind: 'billing.run',
  lane: 'transfer',
  steps: [
    {
      key: 'charge',
      label: 'Charge new services, renewals and usage',
      run: ({ at }) => chargeAll(DateTime.fromISO(at)),
    },
    {
      key: 'bill',
      label: 'Create bills',
      async run({ runId, at }, { tell, signal }) {
        const made = (count: number) => tell(`${count} bills so far`)
        await makeBills(DateTime.fromISO(at), { run: runId, signal, tell: made })
        signal.throwIfAborted()
      },
    },
    { key: 'mail', label: 'Email customers', run: (_, { signal }) => tellOfNew(signal) },
  ],
  async result({ runId, at }) {
    const skipped = await skippedNow(DateTime.fromISO(at))
    await BillingRun.query()
      .where({ id: runId, status: 'running' })
      .update({
        ...{ status: 'done', skipped: JSON.stringify(skipped) },
        endedAt: DateTime.utc().toSQL(),
      })
    return { ...(await billsOfRun(runId)), skipped: skipped.length }
  },
  async failed({ runId }, reason) {
    await BillingRun.query()
      .where({ id: runId, status: 'running' })
      .update({ status: 'failed', error: reason, endedAt: DateTime.utc().toSQL() })
  },
})
