/** Whether something is possible now; where it is not, why, in words for the button. */
export interface Verdict {
  allowed: boolean
  reason: string | null
}

export const yes: Verdict = { allowed: true, reason: null }

export const no = (reason: string): Verdict => ({ allowed: false, reason })
