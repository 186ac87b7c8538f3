import { useEffect, useState } from 'react'
import { usePage } from '@inertiajs/react'
import { PropReloader } from '~/components/live/prop_reloader'
import { affectsTopics, useChangeStream } from '~/components/live/use_change_stream'
import type { SharedProps } from '~/types'

const MIN_RELOAD_INTERVAL_MS = 1_000

export function useUnreadCount(href: '/live-support' | '/admin/live-support'): number {
  const [reader] = useState(() => new PropReloader(MIN_RELOAD_INTERVAL_MS))
  useEffect(() => reader.start(), [reader])
  useChangeStream((changes) => {
    if (affectsTopics(changes, ['support'])) reader.schedule(['badges'])
  })
  return usePage<SharedProps>().props.badges?.[href] ?? 0
}
