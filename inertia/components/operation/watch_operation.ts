import { useEffect, useRef } from 'react'
import { prefixOf } from '~/area'
import { call } from '~/api_call'
import type { Area } from '~/types'
import { isOver, learn, useKnown, useLiveOperations } from './store'
import type { OperationView } from './types'

export { isOver } from './store'

/** Calls back once for each operation that was seen running and is over now. */
function useOver(operations: OperationView[], onOver?: () => void) {
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
    if (over) told.current?.()
  }, [operations])
}

/**
 * One operation as it happens; the newest state known. `onOver` is called when it ends, also when it
 * had ended before the page came to listen.
 */
export function useOperation(initial: OperationView | null, area: Area, onOver?: () => void) {
  const found = useOperations(initial ? [initial] : [], area, onOver)
  const id = initial && !isOver(initial) ? initial.id : null

  // Work begun by a call may be over before anybody tells of it.
  useEffect(() => {
    if (!id) return
    const leaving = new AbortController()
    const path = `${prefixOf(area)}/operations/${id}` as const
    void call<{ operation: OperationView }>(path, { signal: leaving.signal, toasts: 'none' }).then(
      ({ data }) => data?.operation && learn([data.operation])
    )
    return () => leaving.abort()
  }, [id, area])

  return initial && (found.get(initial.id) ?? initial)
}

/** Several operations on one page as they happen, by id. */
export function useOperations(initial: OperationView[], area: Area, onOver?: () => void) {
  useLiveOperations(area)
  const known = useKnown()
  const current = initial.map((operation) =>
    isOver(operation) ? operation : (known.get(operation.id) ?? operation)
  )
  useOver(current, onOver)
  return new Map(current.map((operation) => [operation.id, operation]))
}
