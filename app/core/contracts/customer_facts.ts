/** Whom a thing belongs to, as lists of staff tell it. */
export interface CustomerFacts {
  id: number
  name: string
  email: string
}
