import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { concerns, useChanges } from '~/components/live/use_changes'
import { conversationOf, type ConversationOptions } from './conversation'

/** A conversation that is kept up to date as long as it is shown. */
export function useConversation({ prefix, me, client }: ConversationOptions) {
  const store = useMemo(() => conversationOf({ prefix, me, client }), [prefix, me, client])
  const state = useSyncExternalStore(store.watch, store.state, store.state)
  useEffect(() => store.start(), [store])
  useChanges((changes) => {
    if (concerns(changes, [`support:${client}`])) void store.look()
    for (const topic of changes.passing) {
      const [noun, of, side, person] = topic.split(':')
      if (noun === 'support_typing' && Number(of) === client) store.showTyping(side, Number(person))
    }
  })
  return { store, state }
}
