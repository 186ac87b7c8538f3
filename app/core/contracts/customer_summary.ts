export interface CustomerSummary {
  id: number
  name: string
  /** Address of the account's first owner. */
  email: string
}
