/** Whether something is possible now; where it is not, why, in words for the button. */
export interface Permission {
  allowed: boolean
  reason: string | null
}

export const ALLOWED: Permission = { allowed: true, reason: null }

export const denied = (reason: string): Permission => ({ allowed: false, reason })
