/** Owner of a resource, as staff see it. */
export interface CustomerSummary {
  /** Account id. */
  id: number
  name: string
  /** Of the account's first owner. */
  email: string
}
