import { useEffect, useState } from 'react'
import { usePage } from '@inertiajs/react'
import type { AreaPrefix } from '~/area_prefix'
import { clientIdsWithUnsentMessages } from './unsent_messages'

/**
 * Sends pending messages from every page, even if no conversation is open.
 * @param shown whether the conversation is open, on pages where it opens and closes without a visit
 * @returns how many messages could not be sent
 */
export function useSendUnsentMessages(
  prefix: AreaPrefix,
  me: number | null,
  shown = false
): number {
  const { url } = usePage()
  const [failed, setFailed] = useState(0)
  useEffect(() => {
    const clients = me === null ? [] : clientIdsWithUnsentMessages(me)
    if (me === null || clients.length === 0) return
    const stops: (() => void)[] = []
    let left = false
    const deliver = async () => {
      const { getOrCreateConversationStore } = await import('./conversation_store')
      if (left) return
      const stores = clients.map((client) => getOrCreateConversationStore({ prefix, me, client }))
      const count = () => {
        const all = stores.flatMap((store) => store.state().pending)
        setFailed(all.filter(({ state }) => state === 'failed').length)
      }
      for (const store of stores) stops.push(store.watch(count), store.deliver())
      count()
    }
    // Without network, the import fails. The next page tries it again.
    void deliver().catch(() => {})
    return () => {
      left = true
      for (const stop of stops) stop()
    }
  }, [prefix, me, url, shown])
  return failed
}
