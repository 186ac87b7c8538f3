/** The two audiences, each with a session of its own (product, "People"). */
export type Audience = 'customer' | 'staff'
export type Role = 'administrator' | 'support'
export type ColorScheme = 'auto' | 'light' | 'dark'

/** Who acts in a request. Set by `app/identity`, read by everybody. */
export interface Actor {
  id: number
  audience: Audience
  name: string
  email: string
  /** Staff only. */
  role: Role | null
  /** Staff only: what stands below the name. */
  title?: string | null
  /** Customers only. */
  defaultInstanceId?: number | null
  colorScheme?: ColorScheme
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The signed-in person of the area that the request belongs to. */
    actor?: Actor
    /** The device (table `devices`) that this session belongs to. */
    deviceId?: string
  }
}
