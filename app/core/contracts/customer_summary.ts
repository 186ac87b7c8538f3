/** Whom a thing belongs to, as staff's lists and pages name it. */
export interface CustomerSummary {
  /** The account's id. */
  id: number
  name: string
  /** The address of its first owner. */
  email: string
}
