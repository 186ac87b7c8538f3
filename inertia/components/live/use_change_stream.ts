import { useEffect, useEffectEvent } from 'react'
import { usePage } from '@inertiajs/react'
import { subscribeToChanges, type ChangeMessage } from '~/change_stream'
import type { SharedProps } from '~/types'

export function useChangeStream(onChanges: (changes: ChangeMessage) => void) {
  const { area, live, user } = usePage<SharedProps>().props
  // Identifies person and account, because a person gets other events in another account.
  const person = user ? `${user.id}:${user.account?.id ?? ''}` : ''
  const address = area === 'admin' ? '/admin/changes' : '/changes'
  const notify = useEffectEvent(onChanges)
  // The mark is used only when the stream opens, so a new mark must not run the effect again.
  const mark = useEffectEvent(() => live ?? '')
  useEffect(() => {
    if (!person) return
    return subscribeToChanges({ address, person, mark: mark() }, (changes) => notify(changes))
  }, [address, person])
}

/** Returns whether a message affects topics: types (`project`) or records (`project:5`). */
export function affectsTopics({ changed }: Pick<ChangeMessage, 'changed'>, topics: string[]) {
  if (changed === null) return topics.length > 0
  return changed.some((topic) => topics.includes(topic) || topics.includes(topic.split(':')[0]))
}
