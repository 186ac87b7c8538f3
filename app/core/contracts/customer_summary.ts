/** The owner of a resource, as shown in lists and pages for staff. */
export interface CustomerSummary {
  /** The account's id. */
  id: number
  name: string
  /** Email address of the account's first owner. */
  email: string
}
