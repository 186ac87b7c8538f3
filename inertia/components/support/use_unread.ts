import { useEffect, useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Reader } from '~/components/live/reader'
import { concerns, useChanges } from '~/components/live/use_changes'
import type { SharedProps } from '~/types'

const MIN_RELOAD_INTERVAL_MS = 1_000

/** Keeps the counts of the menu up to date while messages come, whatever page is shown. */
export function useUnread(href: '/live-support' | '/admin/live-support'): number {
  const [reader] = useState(() => new Reader(MIN_RELOAD_INTERVAL_MS))
  useEffect(() => reader.start(), [reader])
  useChanges((changes) => {
    if (concerns(changes, ['support'])) reader.want(['badges'])
  })
  return usePage<SharedProps>().props.badges?.[href] ?? 0
}
