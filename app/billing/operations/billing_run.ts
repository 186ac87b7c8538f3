import { makeBills } from '#billing/charging/make_bills'
import { createDueCharges, mailNewBills } from '#billing/charging/run_billing'
import BillingRun from '#billing/models/billing_run'
import { type BillingProgress, saveBillingProgress } from '#billing/queries/unbilled_periods'
import { loadRunTotals, listSkippedAccounts } from '#billing/queries/runs'
import { defineOperation } from '#core/operations/operations'
import { DateTime } from 'luxon'

interface Input {
  runId: number
  /**
   * ISO time at which the run started. After an interruption, the run still charges only up to this
   * time.
   */
  at: string
}

/**
 * A billing run that staff started (decision 0035). Each step skips work that is already done, so
 * an interrupted run can resume.
 */
export const billingRunOperation = defineOperation<Input>({
  kind: 'billing.run',
  queue: 'transfer',
  steps: [
    {
      key: 'charge',
      label: 'Charge new services, renewals and usage',
      async run({ at }, { saveState }) {
        await saveState('progress', await createDueCharges(DateTime.fromISO(at)))
      },
    },
    {
      key: 'bill',
      label: 'Create bills',
      async run({ runId, at }, { state, reportProgress, signal }) {
        const reportCount = (count: number) => reportProgress(`${count} bills so far`)
        await makeBills(DateTime.fromISO(at), { run: runId, signal, reportProgress: reportCount })
        signal.throwIfAborted()
        // A run that an older release started has saved no progress.
        if (state.progress) await saveBillingProgress(state.progress as BillingProgress)
      },
    },
    { key: 'mail', label: 'Email customers', run: (_, { signal }) => mailNewBills(signal) },
  ],
  async result({ runId, at }) {
    const skipped = await listSkippedAccounts(DateTime.fromISO(at))
    await BillingRun.query()
      .where({ id: runId, status: 'running' })
      .update({
        status: 'done',
        skipped: JSON.stringify(skipped),
        endedAt: DateTime.utc().toSQL(),
      })
    return { ...(await loadRunTotals(runId)), skipped: skipped.length }
  },
  async failed({ runId }, reason) {
    await BillingRun.query()
      .where({ id: runId, status: 'running' })
      .update({ status: 'failed', error: reason, endedAt: DateTime.utc().toSQL() })
  },
})
