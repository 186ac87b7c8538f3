import { useEffect, useEffectEvent } from 'react'
import { read } from '~/step'

const declared = new Set<() => string[]>()
/** End the readings that are under way. */
const cancels = new Set<() => void>()
let visiting = false
let isDue = false

type VisitEvent = CustomEvent<{ visit: { async?: boolean; prefetch?: boolean } }>

const isAside = (event: Event) => {
  const { async, prefetch } = (event as VisitEvent).detail.visit
  return async || prefetch
}

/** A visit goes first: what a reading brings is older, and of the address before. */
function giveWay(event: Event) {
  if (isAside(event)) return
  visiting = true
  if (cancels.size > 0) isDue = true
  for (const cancel of [...cancels]) cancel()
}

function goOn(event: Event) {
  if (isAside(event)) return
  visiting = false
  if (isDue) reread()
}

/** Says which props of the page change with the things that it shows. */
export function useChangingProps(only: string[]) {
  const told = useEffectEvent(() => only)
  useEffect(() => {
    document.addEventListener('inertia:start', giveWay)
    document.addEventListener('inertia:finish', goOn)
    const tell = () => told()
    declared.add(tell)
    return () => void declared.delete(tell)
  }, [])
}

/** Reads anew what changes on this page, or all of it where it says nothing of that. */
export function reread() {
  isDue = visiting
  if (visiting) return
  const only = [...new Set([...declared].flatMap((tell) => tell()))]
  let cancel = () => {}
  const end = () => cancel()
  cancels.add(end)
  cancel = read({
    ...(only.length > 0 && { only }),
    again: reread,
    onFinish: () => cancels.delete(end),
  })
}
