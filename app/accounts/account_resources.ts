/** A resource of an account, as listed on the customer's page for staff. */
export interface AccountResourceRow {
  id: number
  name: string
  status: string
  /** The resource's page for staff. */
  href: string
}

interface ResourceKind {
  /** Label of this kind of resource, such as "Server instances". */
  label: string
  /** Returns the account's current resources, newest first. */
  of(accountId: number): Promise<AccountResourceRow[]>
}

const resourceKinds: ResourceKind[] = []

/** Registers a module's kind of resource for the customer pages. */
export function registerAccountResourceKind(kind: ResourceKind): void {
  resourceKinds.push(kind)
}

/** Returns all resources of an account by kind, including kinds without resources. */
export function listAccountResources(
  accountId: number
): Promise<{ label: string; things: AccountResourceRow[] }[]> {
  return Promise.all(
    resourceKinds.map(async ({ label, of }) => ({ label, things: await of(accountId) }))
  )
}
