import { router } from '@inertiajs/react'

interface PropsReload {
  /** The props to read; all without it. */
  only?: string[]
  preserveErrors?: boolean
  /** Begins it again, after a step that cut it off. */
  again(): void
  onFinish(): void
}

/** Those that have not been answered yet. */
const pendingReloads = new Set<{ cancel(): void; again(): void }>()
/** The address of a step that is being taken. */
let pendingUrl: string | null = null

/**
 * Reads props of the page anew, without a step of history.
 * @returns what ends it
 */
export function reloadProps({ only, preserveErrors, again, onFinish }: PropsReload): () => void {
  let end = () => {}
  const cancel = () => end()
  const reading = { cancel, again }
  pendingReloads.add(reading)
  router.reload({
    ...(only && { only }),
    ...(preserveErrors && { preserveErrors }),
    onCancelToken: (token) => (end = token.cancel),
    // An answer that waits to be drawn can be ended no more: it would bring back the address that it was asked at.
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
 * Puts what is looked at into the address, as a step of history; the server is asked nothing. What was
 * being read is read anew: its answer is of the address of before.
 * @param changed props that this step of the page has instead
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
      // The next one may be under way already.
      if (pendingUrl === url) pendingUrl = null
      for (const reading of cut) reading.again()
    },
  })
}
