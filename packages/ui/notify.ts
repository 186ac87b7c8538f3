import { createElement } from 'react'

export interface ActionResult {
  success: boolean
  message: string
}

/** Notices stay 4 s, other toasts 5 s (docs/product.md, "Lists and pages"). */
export const TOAST_DURATION_MS = 4000

let wanted = false
const waiting = new Set<() => void>()

export function onFirstToast(callback: () => void) {
  if (wanted) callback()
  else waiting.add(callback)
  return () => void waiting.delete(callback)
}

/** Loads the toast library at the first call. */
export async function notify({ success, message }: ActionResult) {
  if (!message || typeof window === 'undefined') return
  if (!wanted) {
    wanted = true
    for (const callback of waiting) callback()
    waiting.clear()
  }
  const { toast } = await import('react-toastify/unstyled')
  const text = createElement('span', { className: 'toast-text' }, message)
  shown.push({
    id: toast[success ? 'success' : 'error'](text, { autoClose: TOAST_DURATION_MS }),
    at: Date.now(),
  })
}

/** A toast that appeared less than this time before a page change stays on the next page. */
const CARRIED_NOTICE_MS = 1000

let shown: { id: string | number; at: number }[] = []

export async function clearStaleNotices() {
  if (shown.length === 0) return
  const before = Date.now() - CARRIED_NOTICE_MS
  const stale = shown.filter(({ at }) => at < before)
  shown = shown.filter(({ at }) => at >= before)
  const { toast } = await import('react-toastify/unstyled')
  for (const { id } of stale) toast.dismiss(id)
}
