import { useEffect, useEffectEvent } from 'react'
import { router } from '@inertiajs/react'
import { keepReading } from '~/step'

const declared = new Set<() => string[]>()

/** Says which props of the page change with the things that it shows. */
export function useChangingProps(only: string[]) {
  const told = useEffectEvent(() => only)
  useEffect(() => {
    const tell = () => told()
    declared.add(tell)
    return () => void declared.delete(tell)
  }, [])
}

/** Reads anew what changes on this page, or all of it where it says nothing of that. */
export function reread() {
  const only = [...new Set([...declared].flatMap((tell) => tell()))]
  let cancel = () => {}
  const over = keepReading({ cancel: () => cancel(), again: reread })
  router.reload({
    ...(only.length > 0 && { only }),
    onCancelToken: (token) => (cancel = token.cancel),
    onFinish: over,
  })
}
