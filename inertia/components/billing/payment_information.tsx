import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { StatusBadge } from '@ui/status_badge'
import { DescriptionList } from '~/components/description_list'
import { StatementMatch } from '~/components/billing/statement_match'
import type { TransferMatch, PaymentTransferRow } from '~/components/billing/types'

interface PaymentInformationProps {
  bill: {
    account_number: string | null
    trx_id: string | null
    reference: string | null
    note: string | null
  }
  /** The single transfers, if the customer paid by several. */
  parts?: PaymentTransferRow[]
  statements?: TransferMatch[]
}

const labels = { claimed: 'Waiting', approved: 'Approved', rejected: 'Rejected' }
const tones = { claimed: 'wait', approved: 'good', rejected: 'loss' } as const

export function PaymentInformation(props: PaymentInformationProps) {
  const { bill, parts = [], statements = [] } = props
  return (
    <section aria-labelledby="payment">
      <h2 id="payment">Payment Information</h2>
      <DescriptionList
        label="Payment Information"
        rows={[
          { label: 'Account number', value: bill.account_number },
          { label: 'Transaction ID', value: bill.trx_id },
          { label: 'Reference', value: bill.reference },
          { label: 'Note', value: bill.note },
          ...(parts.length > 1
            ? parts.map((part) => ({
                label: part.trx_id,
                value: (
                  <>
                    <Money amount={part.taka} /> on <DateText value={part.at} />{' '}
                    <StatusBadge
                      status={part.status}
                      label={labels[part.status]}
                      tone={tones[part.status]}
                    />
                  </>
                ),
              }))
            : []),
          ...statements.map((one) => ({
            label: statements.length > 1 ? `Statement of ${one.trx_id}` : 'Statement',
            value: <StatementMatch on={one} />,
          })),
        ]}
      />
    </section>
  )
}
