export interface Answer {
  success: boolean
  message: string
}

/** Our own notices close after 4 s; the container's default is 5 s. */
export const NOTICE_MS = 4000

let wanted = false
const waiting = new Set<() => void>()

/** Calls back once somebody has asked for the first toast. */
export function onFirstToast(callback: () => void) {
  if (wanted) callback()
  else waiting.add(callback)
  return () => void waiting.delete(callback)
}

/**
 * Shows the answer of a call as a toast: success styles it so, anything else as an error. The
 * toast library is loaded with the first toast.
 */
export async function notify({ success, message }: Answer) {
  if (!message || typeof window === 'undefined') return
  if (!wanted) {
    wanted = true
    for (const callback of waiting) callback()
    waiting.clear()
  }
  const { toast } = await import('react-toastify/unstyled')
  toast[success ? 'success' : 'error'](message, { autoClose: NOTICE_MS })
}
