import { useEffect, useEffectEvent } from 'react'
import { usePage } from '@inertiajs/react'
import { subscribeToChanges, type ChangeMessage } from '~/change_stream'
import type { SharedProps } from '~/types'

/** Calls back with each message of the page's stream of events. */
export function useChangeStream(onChanges: (changes: ChangeMessage) => void) {
  const { area, live, user } = usePage<SharedProps>().props
  // Whoever changes to another account hears of that one's things.
  const person = user ? `${user.id}:${user.account?.id ?? ''}` : ''
  const address = area === 'admin' ? '/admin/changes' : '/changes'
  const notify = useEffectEvent(onChanges)
  // The mark counts for the first page only: later ones find the stream open.
  const mark = useEffectEvent(() => live ?? '')
  useEffect(() => {
    if (!person) return
    return subscribeToChanges({ address, person, mark: mark() }, (changes) => notify(changes))
  }, [address, person])
}

/** Whether something of these nouns (`project`) or things (`project:5`) changed, or may have. */
export function affectsTopics({ changed }: Pick<ChangeMessage, 'changed'>, topics: string[]) {
  if (changed === null) return topics.length > 0
  return changed.some((topic) => topics.includes(topic) || topics.includes(topic.split(':')[0]))
}
