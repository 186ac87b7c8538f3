export interface CustomerSummary {
  id: number
  name: string
  email: string
}
