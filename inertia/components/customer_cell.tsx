import { Link } from '~/components/link'
import type { CustomerSummary } from '#core/contracts/customer_summary'

interface CustomerCellProps {
  customer: CustomerSummary | null
}

/** Whose a thing is, in lists of staff. */
export function CustomerCell({ customer }: CustomerCellProps) {
  if (!customer) return <>-</>
  const { id, name, email } = customer
  return (
    <Link href={`/admin/customer/${id}`} title={`${name} <${email}>`}>
      {name}
    </Link>
  )
}
