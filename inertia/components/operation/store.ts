import { useSyncExternalStore } from 'react'
import { call } from '~/api_call'
import { useChanges } from '~/components/live/use_changes'
import type { Area } from '~/types'
import type { OperationView } from './types'

type Known = ReadonlyMap<string, OperationView>

/** More are not kept once they are over. */
const MAX_OPERATIONS = 500

const none: Known = new Map()
let known: Known = none
const watchers = new Set<() => void>()

export function isOver(operation: Pick<OperationView, 'status'>) {
  return operation.status === 'done' || operation.status === 'failed'
}

/** Puts down the newest states of work; what is over stays so. */
export function learn(operations: OperationView[]) {
  const news = operations.filter((one) => {
    const before = known.get(one.id)
    return !before || !isOver(before) || isOver(one)
  })
  if (news.length === 0) return
  const kept = known.size > MAX_OPERATIONS ? [...known].filter(([, one]) => !isOver(one)) : known
  known = new Map([...kept, ...news.map((one) => [one.id, one] as const)])
  for (const watcher of watchers) watcher()
}

/** Forgets everything: for tests, and when somebody else signs in. */
export function forget() {
  known = none
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void) {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** The newest states of work that this tab knows of, by id. */
export function useKnown(): Known {
  return useSyncExternalStore(
    watch,
    () => known,
    () => none
  )
}

/** What runs, and what ended within the last minute; asked for once. */
export async function fetchRecent(area: Area, signal?: AbortSignal) {
  const before = known
  const { data } = await call<{ operations: OperationView[] }>(
    `${area === 'admin' ? '/admin' : ''}/operations/running`,
    { signal, toasts: 'none' }
  )
  if (signal?.aborted || !data) return
  // What was told meanwhile is newer.
  learn(data.operations.filter(({ id }) => known.get(id) === before.get(id)))
}

/** Keeps the store up to date for as long as the component is there: one of them on each page. */
export function useLiveOperations(area: Area) {
  useChanges(({ changed, operations }) => {
    learn(operations)
    if (changed === null) void fetchRecent(area)
  })
}
