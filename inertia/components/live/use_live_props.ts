import { useEffect, useEffectEvent, useState } from 'react'
import { wentBack } from '~/history'
import { Reader } from './reader'
import { useChangingProps } from './reread'
import { concerns, useChanges } from './use_changes'

const MIN_RELOAD_INTERVAL_MS = 1_000
/** Whoever goes back goes mostly further back. */
const BACK_NAVIGATION_DELAY_MS = 500

/**
 * Reads these props of the page anew when something of these nouns or things changes, by whomever. A
 * page that was gone back to is read once, since nobody told it of anything meanwhile.
 */
export function useLiveProps(
  topics: string[],
  only: string[],
  { rest = MIN_RELOAD_INTERVAL_MS } = {}
) {
  useChangingProps(only)
  const [reader] = useState(() => new Reader(rest))
  const arrive = useEffectEvent(() => {
    if (topics.length > 0 && wentBack()) reader.want(only, BACK_NAVIGATION_DELAY_MS)
  })
  useEffect(() => {
    const stop = reader.start()
    arrive()
    return stop
  }, [reader])
  useChanges((changes) => {
    if (concerns(changes, topics)) reader.want(only)
  })
}
