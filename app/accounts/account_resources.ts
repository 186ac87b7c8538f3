/** One thing of an account, as staff's page of it lists them. */
export interface AccountResourceRow {
  id: number
  name: string
  status: string
  /** The page of staff about it. */
  href: string
}

interface ResourceKind {
  /** Label of this kind of resource, such as "Server instances". */
  label: string
  /** All that the account has now, newest first. */
  of(accountId: number): Promise<AccountResourceRow[]>
}

const resourceKinds: ResourceKind[] = []

/** A domain says what accounts have of it. */
export function registerAccountResourceKind(kind: ResourceKind): void {
  resourceKinds.push(kind)
}

/** All that an account has, by kind; kinds of which it has nothing too. */
export function listAccountResources(
  accountId: number
): Promise<{ label: string; things: AccountResourceRow[] }[]> {
  return Promise.all(
    resourceKinds.map(async ({ label, of }) => ({ label, things: await of(accountId) }))
  )
}
