import { useCallback, useEffect, useState } from 'react'
import type { PageHref } from '#core/page_addresses'
import { call } from '~/api_call'
import type { NodeProcess } from './types'

const POLL_INTERVAL_MS = 3000

/** Reloads the processes every 3 s while the page is visible. */
export function useProcesses(url: PageHref) {
  const [processes, setProcesses] = useState<NodeProcess[] | null>(null)
  const [note, setNote] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)

  const look = useCallback(
    async (signal?: AbortSignal) => {
      const answer = await call<{ processes: NodeProcess[]; note: string | null }>(url, {
        signal,
        toasts: 'none',
      })
      if (signal?.aborted) return
      if (answer.success) {
        setProcesses(answer.data?.processes ?? [])
        setNote(answer.data?.note ?? null)
      }
      setError(answer.success ? null : answer.message)
    },
    [url]
  )

  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    const again = async () => {
      if (!document.hidden) await look(leaving.signal)
      if (!leaving.signal.aborted) timer = window.setTimeout(again, POLL_INTERVAL_MS)
    }
    void again()
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [look])

  return { processes, note, error, setProcesses }
}
