/** An account that owns a resource, as staff see it. */
export interface CustomerSummary {
  id: number
  name: string
  /** Address of the account's first owner. */
  email: string
}
