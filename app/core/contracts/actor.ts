/** The two audiences, each with a session of its own (decisions, "People"). */
export type Audience = 'customer' | 'staff'
export type Role = 'administrator' | 'support'

/** Who acts in a request. Set by `app/identity`, read by everybody. */
export interface Actor {
  id: number
  audience: Audience
  name: string
  email: string
  /** Staff only. */
  role: Role | null
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The signed-in person of the area that the request belongs to. */
    actor?: Actor
  }
}
