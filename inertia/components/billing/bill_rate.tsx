import { DateText } from '@ui/date_text'
import { withSymbol } from '@ui/money'
import { useRegion } from '@ui/region'
import type { BillPage } from '~/components/billing/types'

type BillRateProps = Pick<BillPage, 'rate' | 'rate_frozen' | 'rate_day'>

export function BillRate({ rate, rate_frozen: isFrozen, rate_day: day }: BillRateProps) {
  const region = useRegion()
  if (Number(rate) === 0) return 'No rate set'
  const [whole, decimals = ''] = rate.split('.')
  const text = withSymbol(`${whole}.${decimals.padEnd(2, '0')}`, region)
  if (!isFrozen) return `${text} (today’s rate; fixed when you pay)`
  if (!day) return text
  return (
    <span>
      {text} (<DateText value={day} />)
    </span>
  )
}
