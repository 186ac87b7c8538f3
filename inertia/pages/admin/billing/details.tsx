import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group, Stack } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billTone, StatusBadge } from '@ui/status_badge'
import { BillEmails } from '~/components/billing/bill_emails'
import { Charges } from '~/components/billing/charges'
import { PaymentDecision } from '~/components/billing/payment_decision'
import { BillRate } from '~/components/billing/bill_rate'
import { BillDocuments } from '~/components/billing/bill_documents'
import { EnterPaymentDialog } from '~/components/billing/enter_payment_dialog'
import { PaymentInformation } from '~/components/billing/payment_information'
import { receiptDisabledReason } from '~/components/billing/receipt_disabled_reason'
import { ReduceBillDialog } from '~/components/billing/reduce_bill_dialog'
import type { AdminBillPage } from '~/components/billing/types'
import { CustomerCell } from '~/components/customer_cell'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import type { SharedProps } from '~/types'

const RELOADED_PROPS = [
  'bill',
  'services',
  'totals',
  'parts',
  'due',
  'due_taka',
  'rate',
  'rate_frozen',
  'rate_day',
  'emails',
  'canReduce',
  'canCredit',
  'canEnterPayment',
  'difference',
  'next',
  'credits',
  'statements',
]

export default function BillDetails(page: AdminBillPage) {
  const { bill, totals, paymentStatus, canReduce } = page
  const { unavailable } = usePage<SharedProps>().props
  const [reducing, reduce] = useState<'credit' | 'write-off' | null>(null)
  useLiveProps([`bill:${bill.id}`, 'statement'], RELOADED_PROPS)
  const status = bill.payment_status
  const barred = unavailable?.['bills.decide'] ?? null
  const reason = barred ?? canReduce.reason
  const [entering, enter] = useState(false)

  return (
    <>
      <Head title="Bill Details" />
      <PageHeader
        back={<Link href="/admin/billing/list">Back</Link>}
        title="Bill Details"
        aside={
          <StatusBadge status={status} label={paymentStatus[status]} tone={billTone(status)} />
        }
        action={
          <PaymentDecision
            key={bill.id}
            bill={{ ...bill, status }}
            family="billing"
            next={page.next}
            difference={page.difference}
          />
        }
      >
        <DetailLine
          items={[
            { label: 'Bill', value: bill.number },
            { label: 'Account id', value: bill.user_id },
            { label: 'Customer', value: <CustomerCell customer={bill.customer} /> },
            { label: 'Billing date', value: <DateText value={bill.billing_date} /> },
            { label: 'Due', value: <DateText value={bill.due_date} /> },
            { label: 'Estimated grand total', value: <Money amount={totals.all} /> },
            {
              label: 'Dollar rate',
              value: (
                <BillRate
                  rate={page.rate}
                  rate_frozen={page.rate_frozen}
                  rate_day={page.rate_day}
                />
              ),
            },
            { label: 'Left to pay', value: <Money amount={page.due_taka} /> },
          ]}
        />
      </PageHeader>
      <Stack gap="lg">
        {status !== 'pending' && (
          <PaymentInformation bill={bill} parts={page.parts} statements={page.statements} />
        )}
        <BillEmails id={bill.id} emails={page.emails} />
        <Charges services={page.services} totals={totals} />
        <BillDocuments
          base={`/admin/billing/details/${bill.id}`}
          noReceipt={receiptDisabledReason(page.parts)}
          credits={page.credits}
        />
        <Group gap="xs">
          <ButtonWithDisabledReason
            variant="default"
            reason={barred ?? page.canEnterPayment.reason}
            onClick={() => enter(true)}
          >
            Enter payment
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            variant="default"
            reason={barred ?? page.canCredit.reason}
            onClick={() => reduce('credit')}
          >
            Credit note
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            variant="default"
            reason={reason}
            onClick={() => reduce('write-off')}
          >
            Write off
          </ButtonWithDisabledReason>
        </Group>
      </Stack>
      {reducing && (
        <ReduceBillDialog
          id={bill.id}
          due={page.due}
          isPaid={status === 'success'}
          move={reducing}
          onClose={() => reduce(null)}
        />
      )}
      {entering && (
        <EnterPaymentDialog id={bill.id} due={page.due_taka} onClose={() => enter(false)} />
      )}
    </>
  )
}
