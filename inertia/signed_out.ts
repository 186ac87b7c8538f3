import { useSyncExternalStore } from 'react'
import { prefixForArea } from '~/area_prefix'
import type { Area } from '~/types'

/** Sent with requests whose page must stay: the server then responds with 401 instead of a redirect. */
export const KEEP_PAGE_HEADER = 'X-Signed-Out'

let signedOut = false
/** Number of mounted dialogs. Pages without a person have none, so nobody can be signed out there. */
let dialogs = 0
const watchers = new Set<() => void>()

function set(now: boolean) {
  if (signedOut === now) return
  signedOut = now
  for (const watcher of [...watchers]) watcher()
}

/** While true, pages send no requests in the background. */
export const isSignedOut = () => signedOut
export const reportSignedOut = () => set(dialogs > 0)
export const clearSignedOut = () => set(false)

/** Returns a function that unregisters the dialog. */
export function registerSignedOutDialog(): () => void {
  dialogs += 1
  return () => {
    dialogs -= 1
    if (dialogs === 0) clearSignedOut()
  }
}

/** Returns a function that unsubscribes. */
export function onSignedOutChange(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(onSignedOutChange, isSignedOut, () => false)
}

/** Other failures change nothing: they say nothing about the session. */
export async function checkSignedOut(area: Area): Promise<void> {
  try {
    const { status } = await fetch(`${prefixForArea(area)}/find`, {
      credentials: 'same-origin',
      headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
    })
    if (status === 401) reportSignedOut()
    else if (status === 200) clearSignedOut()
  } catch {
    // No network.
  }
}
