/** A resource as listed on the customer's page for staff. */
export interface AccountResourceRow {
  id: number
  name: string
  status: string
  /** The resource's page for staff. */
  href: string
}

interface ResourceKind {
  /** For example "Server instances". */
  label: string
  /** Returns current resources, newest first. */
  of(accountId: number): Promise<AccountResourceRow[]>
}

const resourceKinds: ResourceKind[] = []

/** Adds a kind of resource to the customer's page. */
export function registerAccountResourceKind(kind: ResourceKind): void {
  resourceKinds.push(kind)
}

/** Groups resources by kind, including kinds without resources. */
export function listAccountResources(
  accountId: number
): Promise<{ label: string; things: AccountResourceRow[] }[]> {
  return Promise.all(
    resourceKinds.map(async ({ label, of }) => ({ label, things: await of(accountId) }))
  )
}
