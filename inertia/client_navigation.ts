import { router } from '@inertiajs/react'

interface PropsReload {
  only?: string[]
  preserveErrors?: boolean
  /** Starts a reload again after a navigation has cancelled it. */
  again(): void
  onFinish(): void
}

const pendingReloads = new Set<{ cancel(): void; again(): void }>()
let pendingUrl: string | null = null

export function reloadProps({ only, preserveErrors, again, onFinish }: PropsReload): () => void {
  let end = () => {}
  const cancel = () => end()
  const reading = { cancel, again }
  pendingReloads.add(reading)
  router.reload({
    ...(only && { only }),
    ...(preserveErrors && { preserveErrors }),
    onCancelToken: (token) => (end = token.cancel),
    // A response that is already being rendered can no longer be cancelled. It would restore the URL of its request,
    // so this line sets the current URL.
    onBeforeUpdate: (page) => {
      const { pathname, search, hash } = window.location
      page.url = pendingUrl ?? pathname + search + hash
    },
    onFinish: () => {
      pendingReloads.delete(reading)
      onFinish()
    },
  })
  return cancel
}

/**
 * Adds a history entry without a request. Cancels pending reloads and starts them again, because their responses would
 * belong to the old URL.
 * @param changed props to replace in the new history entry
 */
export function pushUrl(url: string, changed: Record<string, unknown> = {}) {
  const cut = [...pendingReloads]
  for (const reading of cut) reading.cancel()
  pendingUrl = url
  router.push({
    url,
    props: (props) => ({ ...props, ...changed }),
    preserveState: true,
    preserveScroll: true,
    onFinish: () => {
      // Another call may have set a newer URL meanwhile.
      if (pendingUrl === url) pendingUrl = null
      for (const reading of cut) reading.again()
    },
  })
}
