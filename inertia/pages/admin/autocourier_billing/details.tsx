import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billTone, StatusBadge } from '@ui/status_badge'
import { PaymentDecision } from '~/components/billing/payment_decision'
import { PaymentInformation } from '~/components/billing/payment_information'
import type { CourierBillPage } from '~/components/auto_courier/types'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'

export default function CourierBillDetails(page: CourierBillPage) {
  const { bill, paymentStatus, next, statements } = page
  useLiveProps([`bill:${bill.id}`, 'statement'], ['bill', 'next', 'statements', 'difference'])
  const { status } = bill
  return (
    <>
      <Head title="Auto Courier Bill Details" />
      <PageHeader
        back={<Link href="/admin/autocourier-billing/list">Back</Link>}
        title="Auto Courier Bill Details"
        aside={
          <StatusBadge status={status} label={paymentStatus[status]} tone={billTone(status)} />
        }
        action={
          <PaymentDecision
            key={bill.id}
            bill={bill}
            family="autocourier-billing"
            next={next}
            difference={page.difference}
          />
        }
      >
        <DetailLine
          items={[
            { label: 'Account id', value: bill.user_id },
            { label: 'Bill', value: bill._id },
            { label: 'Billing date', value: <DateText value={bill.createdAt} /> },
            { label: 'Estimated grand total', value: <Money amount={bill.amount} /> },
          ]}
        />
      </PageHeader>
      {status !== 'pending' && <PaymentInformation bill={bill} statements={statements} />}
    </>
  )
}
