import { useEffect, useEffectEvent, useState } from 'react'
import { isBackNavigation } from '~/browser_history'
import { PropReloader } from './prop_reloader'
import { useRegisterChangingProps } from './reload_changing_props'
import { affectsTopics, useChangeStream } from './use_change_stream'

const MIN_RELOAD_INTERVAL_MS = 1_000
/** Delay before the reload, because people often go back several pages in a row. */
const BACK_NAVIGATION_DELAY_MS = 500

/**
 * Reloads props when their topics change. If there are topics, also reloads them once after Back or Forward, because
 * the page received no events meanwhile.
 */
export function useLiveProps(
  topics: string[],
  only: string[],
  { rest = MIN_RELOAD_INTERVAL_MS } = {}
) {
  useRegisterChangingProps(only)
  const [reader] = useState(() => new PropReloader(rest))
  const arrive = useEffectEvent(() => {
    if (topics.length > 0 && isBackNavigation()) reader.schedule(only, BACK_NAVIGATION_DELAY_MS)
  })
  useEffect(() => {
    const stop = reader.start()
    arrive()
    return stop
  }, [reader])
  useChangeStream((changes) => {
    if (affectsTopics(changes, topics)) reader.schedule(only)
  })
}
