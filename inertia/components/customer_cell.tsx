import { Link } from '~/components/link'
import type { CustomerSummary } from '#core/contracts/customer_summary'

interface CustomerCellProps {
  customer: CustomerSummary | null
}

export function CustomerCell({ customer }: CustomerCellProps) {
  if (!customer) return <>-</>
  const { id, name, email } = customer
  return (
    <Link href={`/admin/customer/${id}`} title={`${name} <${email}>`}>
      {name}
    </Link>
  )
}
