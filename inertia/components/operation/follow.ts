import { useEffect, useRef, useState } from 'react'
import { prefixOf } from '~/area'
import { call } from '~/call'
import type { Area } from '~/types'
import type { OperationView } from './types'

const AGAIN_MS = 3000
const POLL_MS = 1000

export function isOver(operation: Pick<OperationView, 'status'>) {
  return operation.status === 'done' || operation.status === 'failed'
}

/** Calls back once for each operation that was seen running and is over now. */
function useOver(operations: OperationView[], onOver: () => void) {
  const running = useRef(new Set<string>())
  const told = useRef(onOver)
  useEffect(() => {
    told.current = onOver
  })
  useEffect(() => {
    let over = false
    for (const operation of operations) {
      if (!isOver(operation)) running.current.add(operation.id)
      else if (running.current.delete(operation.id)) over = true
    }
    if (over) told.current()
  }, [operations])
}

/**
 * One operation as it happens, by server-sent events; the newest state known. `onOver` is called
 * when it ends, also when it had ended before the page came to listen.
 */
export function useOperation(initial: OperationView | null, area: Area, onOver: () => void) {
  const [latest, setLatest] = useState(initial)
  const current = latest && initial && latest.id === initial.id ? latest : initial
  const id = initial && !isOver(initial) ? initial.id : null

  useEffect(() => {
    if (!id) return
    let source: EventSource | undefined
    let again: number | undefined
    const listen = () => {
      source = new EventSource(`${prefixOf(area)}/operations/${id}/events`)
      source.onmessage = (event: MessageEvent<string>) => {
        const state = JSON.parse(event.data) as OperationView
        setLatest(state)
        if (isOver(state)) source?.close()
      }
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(listen, AGAIN_MS)
      }
    }
    listen()
    return () => {
      source?.close()
      window.clearTimeout(again)
    }
  }, [id, area])

  useOver(current ? [current] : [], onOver)
  return current
}

/**
 * Several operations on one page, by asking once a second while any of them runs: a browser keeps
 * too few connections open for one stream each.
 */
export function useOperations(initial: OperationView[], area: Area, onOver: () => void) {
  const [seen, setSeen] = useState<Record<string, OperationView>>({})
  const current = initial.map((operation) =>
    isOver(operation) ? operation : (seen[operation.id] ?? operation)
  )
  const busy = current.some((operation) => !isOver(operation))

  useEffect(() => {
    if (!busy) return
    const leaving = new AbortController()
    let timer: number | undefined
    const look = async () => {
      const { data } = await call<{ operations: OperationView[] }>(
        `${prefixOf(area)}/operations/running`,
        { signal: leaving.signal, toasts: 'none' }
      )
      if (leaving.signal.aborted) return
      const found = data?.operations ?? []
      setSeen((before) => ({ ...before, ...Object.fromEntries(found.map((one) => [one.id, one])) }))
      timer = window.setTimeout(look, POLL_MS)
    }
    void look()
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [busy, area])

  useOver(current, onOver)
  return new Map(current.map((operation) => [operation.id, operation]))
}
