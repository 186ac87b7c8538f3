import { useSyncExternalStore } from 'react'
import { call } from '~/api_call'
import { useChangeStream } from '~/components/live/use_change_stream'
import type { Area } from '~/types'
import type { OperationView } from './types'

type OperationMap = ReadonlyMap<string, OperationView>

/** If the store has more operations than this, it drops the finished ones. */
const MAX_OPERATIONS = 500

const noOperations: OperationMap = new Map()
let operationsById: OperationMap = noOperations
const watchers = new Set<() => void>()

export function isFinished(operation: Pick<OperationView, 'status'>) {
  return operation.status === 'done' || operation.status === 'failed'
}

/** A finished operation is never replaced by an unfinished state, which may arrive late. */
export function storeOperations(operations: OperationView[]) {
  const changed = operations.filter((one) => {
    const before = operationsById.get(one.id)
    return !before || !isFinished(before) || isFinished(one)
  })
  if (changed.length === 0) return
  const retained =
    operationsById.size > MAX_OPERATIONS
      ? [...operationsById].filter(([, one]) => !isFinished(one))
      : operationsById
  operationsById = new Map([...retained, ...changed.map((one) => [one.id, one] as const)])
  for (const watcher of watchers) watcher()
}

/** Called by tests, and when another person signs in or the person changes to the other area. */
export function clearOperations() {
  operationsById = noOperations
  for (const watcher of watchers) watcher()
}

function subscribe(watcher: () => void) {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export function useStoredOperations(): OperationMap {
  return useSyncExternalStore(
    subscribe,
    () => operationsById,
    () => noOperations
  )
}

/** Loads running operations, and operations that ended within the last minute. */
export async function refreshStoredOperations(area: Area, signal?: AbortSignal) {
  const before = operationsById
  const { data } = await call<{ operations: OperationView[] }>(
    `${area === 'admin' ? '/admin' : ''}/operations/running`,
    { signal, toasts: 'none' }
  )
  if (signal?.aborted || !data) return
  // States that arrived by events during the request are newer than its response, so they stay.
  storeOperations(data.operations.filter(({ id }) => operationsById.get(id) === before.get(id)))
}

export function useOperationStoreSync(area: Area) {
  useChangeStream(({ changed, operations }) => {
    storeOperations(operations)
    if (changed === null) void refreshStoredOperations(area)
  })
}
