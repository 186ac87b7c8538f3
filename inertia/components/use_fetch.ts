import { useCallback, useEffect, useRef, useState } from 'react'
import type { PageHref } from '#core/page_addresses'
import { call } from '~/api_call'

/**
 * Fetches data on mount and when `revision` changes. `again` cancels a running request and fetches again. `poll` does
 * nothing while a request is running: polls that cancelled each other would never finish on a slow connection.
 */
export function useFetch<T>(href: PageHref, revision = '') {
  const [data, setData] = useState<T | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)
  const running = useRef(false)

  useEffect(() => {
    const leaving = new AbortController()
    running.current = true
    void call<T>(href, { signal: leaving.signal, toasts: 'none' }).then((answer) => {
      if (leaving.signal.aborted) return
      running.current = false
      setProblem(answer.success ? null : answer.message)
      if (answer.data) setData(answer.data)
    })
    return () => leaving.abort()
  }, [href, revision, turn])

  const again = useCallback(() => setTurn((now) => now + 1), [])
  const poll = useCallback(() => {
    if (!running.current) again()
  }, [again])
  return { data, problem, again, poll }
}
