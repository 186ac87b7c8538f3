import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { affectsTopics, useChangeStream } from '~/components/live/use_change_stream'
import { getOrCreateConversationStore, type ConversationOptions } from './conversation_store'

export function useConversation({ prefix, me, client }: ConversationOptions) {
  const store = useMemo(
    () => getOrCreateConversationStore({ prefix, me, client }),
    [prefix, me, client]
  )
  const state = useSyncExternalStore(store.watch, store.state, store.state)
  useEffect(() => store.start(), [store])
  useChangeStream((changes) => {
    if (affectsTopics(changes, [`support:${client}`])) void store.fetchNewMessages()
    for (const topic of changes.passing) {
      const [noun, of, side, person] = topic.split(':')
      if (noun === 'support_typing' && Number(of) === client) store.showTyping(side, Number(person))
    }
  })
  return { store, state }
}
