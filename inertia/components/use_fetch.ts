import { useCallback, useEffect, useState } from 'react'
import type { PageHref } from '#core/page_addresses'
import { call } from '~/api_call'

/** Fetches data on mount; `again` fetches it again. */
export function useFetch<T>(href: PageHref) {
  const [data, setData] = useState<T | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)

  useEffect(() => {
    const leaving = new AbortController()
    void call<T>(href, { signal: leaving.signal, toasts: 'none' }).then((answer) => {
      if (leaving.signal.aborted) return
      setProblem(answer.success ? null : answer.message)
      if (answer.data) setData(answer.data)
    })
    return () => leaving.abort()
  }, [href, turn])

  const again = useCallback(() => setTurn((now) => now + 1), [])
  return { data, problem, again }
}
