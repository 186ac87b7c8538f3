import { createElement } from 'react'

export interface ActionResult {
  success: boolean
  message: string
}

/** The toast container's own default is 5 s. */
export const TOAST_DURATION_MS = 4000

let wanted = false
const waiting = new Set<() => void>()

export function onFirstToast(callback: () => void) {
  if (wanted) callback()
  else waiting.add(callback)
  return () => void waiting.delete(callback)
}

/** Loads the toast library with the first toast. */
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

/** A toast that appears this shortly before a page change belongs to the next page. */
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
