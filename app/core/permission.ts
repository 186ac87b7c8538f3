/** Whether an action is possible. The disabled button shows `reason`. */
export interface Permission {
  allowed: boolean
  reason: string | null
}

export const ALLOWED: Permission = { allowed: true, reason: null }

export const denied = (reason: string): Permission => ({ allowed: false, reason })
