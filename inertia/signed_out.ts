import { useSyncExternalStore } from 'react'
import { prefixForArea } from '~/area_prefix'
import type { Area } from '~/types'

/**
 * Header of requests that must not leave the page. For signed-out people, the server then responds with 401 instead of
 * a redirect.
 */
export const KEEP_PAGE_HEADER = 'X-Signed-Out'

let signedOut = false
/** Number of mounted dialogs that ask a person to sign in again. Public pages have none. */
let dialogs = 0
const watchers = new Set<() => void>()

function set(now: boolean) {
  if (signedOut === now) return
  signedOut = now
  for (const watcher of [...watchers]) watcher()
}

/** Returns whether the person is signed out. While true, pages send no background requests except session checks. */
export const isSignedOut = () => signedOut
export const reportSignedOut = () => set(dialogs > 0)
export const clearSignedOut = () => set(false)

export function registerSignedOutDialog(): () => void {
  dialogs += 1
  return () => {
    dialogs -= 1
    if (dialogs === 0) clearSignedOut()
  }
}

export function onSignedOutChange(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(onSignedOutChange, isSignedOut, () => false)
}

/**
 * Person for whom the page was reloaded. The page reloads only once for each person, because the browser's prompt
 * about unsaved text can stop the reload.
 */
let reloadedFor = ''

/**
 * Checks the session. Removes the dialog only if the page's own person is signed in. If another person is signed in,
 * reloads the page once. Failures other than 401 change nothing, because they say nothing about the session.
 */
export async function checkSignedOut(area: Area, person: string | number): Promise<void> {
  try {
    const response = await fetch(`${prefixForArea(area)}/find`, {
      credentials: 'same-origin',
      headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
    })
    if (response.status === 401) return reportSignedOut()
    if (response.status !== 200) return
    const { data } = (await response.json()) as { data: { person: number } }
    const found = String(data.person)
    if (found === String(person)) return clearSignedOut()
    reportSignedOut()
    if (reloadedFor === found) return
    reloadedFor = found
    window.location.reload()
  } catch {}
}
