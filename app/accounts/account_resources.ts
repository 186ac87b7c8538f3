/** Listed on the customer's page for staff. */
export interface AccountResourceRow {
  id: number
  name: string
  status: string
  /** Page for staff. */
  href: string
}

interface ResourceKind {
  /** For example "Server instances". */
  label: string
  /** Current resources, newest first. */
  of(accountId: number): Promise<AccountResourceRow[]>
}

const resourceKinds: ResourceKind[] = []

/** For the customer's page. */
export function registerAccountResourceKind(kind: ResourceKind): void {
  resourceKinds.push(kind)
}

/** By kind, including kinds without resources. */
export function listAccountResources(
  accountId: number
): Promise<{ label: string; things: AccountResourceRow[] }[]> {
  return Promise.all(
    resourceKinds.map(async ({ label, of }) => ({ label, things: await of(accountId) }))
  )
}
