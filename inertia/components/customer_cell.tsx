import type { CustomerFacts } from '#core/contracts/customer_facts'

interface CustomerCellProps {
  customer: CustomerFacts | null
}

/** Whose a thing is, in lists of staff. */
export function CustomerCell({ customer }: CustomerCellProps) {
  if (!customer) return <>-</>
  return <span title={`${customer.name} <${customer.email}>`}>{customer.name}</span>
}
