import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Stack } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billTone, StatusBadge } from '@ui/status_badge'
import { Charges } from '~/components/billing/charges'
import { BillRate } from '~/components/billing/bill_rate'
import { BillDocuments } from '~/components/billing/bill_documents'
import { PayDialog } from '~/components/billing/pay_dialog'
import { receiptDisabledReason } from '~/components/billing/receipt_disabled_reason'
import { PaymentInformation } from '~/components/billing/payment_information'
import type { BillPage } from '~/components/billing/types'
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
  'canPay',
  'totalPayable',
  'credits',
]

export default function BillDetails(page: BillPage) {
  const { bill, totals, paymentStatus, canPay } = page
  const { unavailable } = usePage<SharedProps>().props
  const [paying, setPaying] = useState(false)
  useLiveProps([`bill:${bill.id}`], RELOADED_PROPS)
  const status = bill.payment_status
  // Statuses in which a customer may pay, as the specification requires (docs/product.md, "Money").
  const offered = status !== 'processing' && status !== 'success'
  const hasFee = Number(page.feePercent) > 0
  const reason = canPay.reason ?? unavailable?.['bills.pay'] ?? null

  return (
    <>
      <Head title={`Bill ${bill.number}`} />
      <PageHeader
        back={<Link href="/billing">Back to Bills</Link>}
        title={`Bill ${bill.number}`}
        aside={
          <StatusBadge status={status} label={paymentStatus[status]} tone={billTone(status)} />
        }
        action={
          offered && (
            <ButtonWithDisabledReason reason={reason} onClick={() => setPaying(true)}>
              Pay Now
            </ButtonWithDisabledReason>
          )
        }
      >
        <DetailLine
          items={[
            { label: 'Account id', value: bill.user_id },
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
            ...(page.due_taka === totals.all
              ? []
              : [{ label: 'Left to pay', value: <Money amount={page.due_taka} /> }]),
            ...(offered && canPay.allowed
              ? [
                  {
                    label: hasFee
                      ? `Total payable, including the ${page.feePercent}% charge`
                      : 'Total payable',
                    value: <Money amount={page.totalPayable} />,
                  },
                ]
              : []),
          ]}
        />
      </PageHeader>
      <Stack gap="lg">
        {status !== 'pending' && <PaymentInformation bill={bill} parts={page.parts} />}
        <Charges services={page.services} totals={totals} />
        <BillDocuments
          base={`/billing/${bill.id}`}
          noReceipt={receiptDisabledReason(page.parts)}
          credits={page.credits}
        />
      </Stack>
      {paying && (
        <PayDialog
          bill={bill}
          totalPayable={page.totalPayable}
          feePercent={page.feePercent}
          merchantAccount={page.merchantAccount}
          onClose={() => setPaying(false)}
        />
      )}
    </>
  )
}
