import { useEffect, useEffectEvent } from 'react'
import { reloadProps } from '~/client_navigation'

const declared = new Set<() => string[]>()
const cancels = new Set<() => void>()
let visiting = false
let isDue = false

type VisitEvent = CustomEvent<{ visit: { async?: boolean; prefetch?: boolean } }>

const isBackgroundVisit = (event: Event) => {
  const { async, prefetch } = (event as VisitEvent).detail.visit
  return async || prefetch
}

/**
 * Pauses reloads during a visit, because their results would be older than the visit's and belong to the previous URL.
 */
function pauseForVisit(event: Event) {
  if (isBackgroundVisit(event)) return
  visiting = true
  if (cancels.size > 0) isDue = true
  for (const cancel of [...cancels]) cancel()
}

function resumeAfterVisit(event: Event) {
  if (isBackgroundVisit(event)) return
  visiting = false
  if (isDue) reloadChangingProps()
}

export function useRegisterChangingProps(only: string[]) {
  const currentOnly = useEffectEvent(() => only)
  useEffect(() => {
    document.addEventListener('inertia:start', pauseForVisit)
    document.addEventListener('inertia:finish', resumeAfterVisit)
    const readOnly = () => currentOnly()
    declared.add(readOnly)
    return () => void declared.delete(readOnly)
  }, [])
}

/** Reloads the props that components have registered, or all props if none are registered. */
export function reloadChangingProps() {
  isDue = visiting
  if (visiting) return
  const only = [...new Set([...declared].flatMap((readNames) => readNames()))]
  let cancel = () => {}
  const end = () => cancel()
  cancels.add(end)
  cancel = reloadProps({
    ...(only.length > 0 && { only }),
    again: reloadChangingProps,
    onFinish: () => cancels.delete(end),
  })
}
