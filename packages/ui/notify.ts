export interface ActionResult {
  success: boolean
  message: string
}

/** Our own notices close after 4 s; the container's default is 5 s. */
export const NOTICE_SHOWN_MS = 4000

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
export async function notify({ success, message }: ActionResult) {
  if (!message || typeof window === 'undefined') return
  if (!wanted) {
    wanted = true
    for (const callback of waiting) callback()
    waiting.clear()
  }
  const { toast } = await import('react-toastify/unstyled')
  shown.push({
    id: toast[success ? 'success' : 'error'](message, { autoClose: NOTICE_SHOWN_MS }),
    at: Date.now(),
  })
}

/** What was said this short a time before a page is left is about the way to the next one. */
const CARRIED_NOTICE_MS = 1000

let shown: { id: string | number; at: number }[] = []

/** Takes away what was said on a page that is left. */
export async function clearStaleNotices() {
  if (shown.length === 0) return
  const before = Date.now() - CARRIED_NOTICE_MS
  const stale = shown.filter(({ at }) => at < before)
  shown = shown.filter(({ at }) => at >= before)
  const { toast } = await import('react-toastify/unstyled')
  for (const { id } of stale) toast.dismiss(id)
}
