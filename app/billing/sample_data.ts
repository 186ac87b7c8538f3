import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { makeBills } from '#billing/charging/make_bills'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

const by = { actor: null }

const sampleData: CreateSampleData = async (sample) => {
  const fresh: number[] = []
  for (const accountId of sample.customers) {
    if (!(await Bill.query().where({ accountId }).first())) fresh.push(accountId)
  }
  if (fresh.length === 0) return
  await db.table('bill_charges').multiInsert(
    fresh.map((account_id) => ({
      account_id,
      source: `sample:${account_id}`,
      type: 'server_instance',
      name: 'sample',
      bill_type: 'Sample package',
      billing_period: 'month',
      quantity: 1,
      unit_price: '12.50',
      cost: '12.50',
    }))
  )
  await makeBills(DateTime.utc())
  const bills = await Bill.query().whereIn('accountId', fresh).orderBy('id')
  try {
    for (const [index, bill] of bills.entries()) {
      const parts = [{ trxId: `SAMPLE${bill.id}`, taka: null }]
      await reportBillPayment(
        bill,
        { accountNumber: '01700000000', reference: 'sample', parts },
        by
      )
      if (index % 3 === 0) await approveBillPayment(bill, by)
      if (index % 3 === 2) await rejectBillPayment(bill, 'No such transfer in the statement', by)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    sample.report(`Sample bills stay unpaid: ${error.message}`)
  }
  sample.report(`${bills.length} bills`)
}

export default sampleData
