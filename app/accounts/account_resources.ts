export interface AccountResourceRow {
  id: number
  name: string
  status: string
  href: string
}

interface ResourceKind {
  label: string
  of(accountId: number): Promise<AccountResourceRow[]>
}

const resourceKinds: ResourceKind[] = []

export function registerAccountResourceKind(kind: ResourceKind): void {
  resourceKinds.push(kind)
}

export function listAccountResources(
  accountId: number
): Promise<{ label: string; things: AccountResourceRow[] }[]> {
  return Promise.all(
    resourceKinds.map(async ({ label, of }) => ({ label, things: await of(accountId) }))
  )
}
