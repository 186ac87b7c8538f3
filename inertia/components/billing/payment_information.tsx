import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { StatusBadge } from '@ui/status_badge'
import { FactTable } from '~/components/fact_table'
import { OnStatementFact } from '~/components/billing/statement_matches'
import type { OnStatement, PartRow } from '~/components/billing/types'

interface PaymentInformationProps {
  bill: {
    account_number: string | null
    trx_id: string | null
    reference: string | null
    note: string | null
  }
  /** each transfer, where there is more than one */
  parts?: PartRow[]
  /** what the operators' statements say of them, for staff */
  statements?: OnStatement[]
}

const labels = { claimed: 'Waiting', approved: 'Approved', rejected: 'Rejected' }
const tones = { claimed: 'wait', approved: 'good', rejected: 'loss' } as const

/** What was said of the payment, for everybody but the owner of a bill that nobody paid. */
export function PaymentInformation(props: PaymentInformationProps) {
  const { bill, parts = [], statements = [] } = props
  return (
    <section aria-labelledby="payment">
      <h2 id="payment">Payment Information</h2>
      <FactTable
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
            value: <OnStatementFact on={one} />,
          })),
        ]}
      />
    </section>
  )
}
