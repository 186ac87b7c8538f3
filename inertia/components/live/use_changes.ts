import { useEffect, useEffectEvent } from 'react'
import { usePage } from '@inertiajs/react'
import { listenToChanges, type Changes } from '~/live'
import type { SharedProps } from '~/types'

/** Calls back with each message of the page's stream of events. */
export function useChanges(onChanges: (changes: Changes) => void) {
  const { area, live, user } = usePage<SharedProps>().props
  // Whoever changes to another account hears of that one's things.
  const person = user ? `${user.id}:${user.account?.id ?? ''}` : ''
  const address = area === 'admin' ? '/admin/changes' : '/changes'
  const told = useEffectEvent(onChanges)
  // The mark counts for the first page only: later ones find the stream open.
  const mark = useEffectEvent(() => live ?? '')
  useEffect(() => {
    if (!person) return
    return listenToChanges({ address, person, mark: mark() }, (changes) => told(changes))
  }, [address, person])
}

/** Whether something of these nouns (`project`) or things (`project:5`) changed, or may have. */
export function concerns({ changed }: Pick<Changes, 'changed'>, topics: string[]) {
  if (changed === null) return topics.length > 0
  return changed.some((topic) => topics.includes(topic) || topics.includes(topic.split(':')[0]))
}
