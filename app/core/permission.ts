/** Whether an action is possible. If not, `reason` is shown at the disabled button. */
export interface Permission {
  allowed: boolean
  reason: string | null
}

export const ALLOWED: Permission = { allowed: true, reason: null }

export const denied = (reason: string): Permission => ({ allowed: false, reason })
