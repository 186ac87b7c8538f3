import { useEffect, useRef } from 'react'
import { prefixForArea } from '~/area_prefix'
import { call } from '~/api_call'
import type { Area } from '~/types'
import {
  isFinished,
  storeOperations,
  useStoredOperations,
  useOperationStoreSync,
} from './operation_store'
import type { OperationView } from './types'

export { isFinished } from './operation_store'

function useFinishedCallback(operations: OperationView[], onOver?: () => void) {
  const running = useRef(new Set<string>())
  const onOverRef = useRef(onOver)
  useEffect(() => {
    onOverRef.current = onOver
  })
  useEffect(() => {
    let over = false
    for (const operation of operations) {
      if (!isFinished(operation)) running.current.add(operation.id)
      else if (running.current.delete(operation.id)) over = true
    }
    if (over) onOverRef.current?.()
  }, [operations])
}

/**
 * Returns the newest state of an operation. Calls `onOver` when the operation ends, even if it ended before the page
 * subscribed to changes.
 */
export function useOperation(initial: OperationView | null, area: Area, onOver?: () => void) {
  const states = useOperations(initial ? [initial] : [], area, onOver)
  const id = initial && !isFinished(initial) ? initial.id : null

  // The operation may end before the page receives its first event, so load its state once.
  useEffect(() => {
    if (!id) return
    const leaving = new AbortController()
    const path = `${prefixForArea(area)}/operations/${id}` as const
    void call<{ operation: OperationView }>(path, { signal: leaving.signal, toasts: 'none' }).then(
      ({ data }) => data?.operation && storeOperations([data.operation])
    )
    return () => leaving.abort()
  }, [id, area])

  return initial && (states.get(initial.id) ?? initial)
}

export function useOperations(initial: OperationView[], area: Area, onOver?: () => void) {
  useOperationStoreSync(area)
  const known = useStoredOperations()
  const current = initial.map((operation) =>
    isFinished(operation) ? operation : (known.get(operation.id) ?? operation)
  )
  useFinishedCallback(current, onOver)
  return new Map(current.map((operation) => [operation.id, operation]))
}
