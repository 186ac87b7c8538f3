/** One thing of an account, as staff's page of it lists them. */
export interface Thing {
  id: number
  name: string
  status: string
  /** The page of staff about it. */
  href: string
}

interface Kind {
  /** What the things are called, e.g. "Server instances". */
  label: string
  /** All that the account has now, newest first. */
  of(accountId: number): Promise<Thing[]>
}

const kinds: Kind[] = []

/** A domain says what accounts have of it. */
export function addThings(kind: Kind): void {
  kinds.push(kind)
}

/** All that an account has, by kind; kinds of which it has nothing too. */
export function thingsOf(accountId: number): Promise<{ label: string; things: Thing[] }[]> {
  return Promise.all(kinds.map(async ({ label, of }) => ({ label, things: await of(accountId) })))
}
