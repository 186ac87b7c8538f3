import type { KeyRow } from './types'
import { useRead } from './use_read'

/** The keys of a vault: its own secrets, and access keys. */
export function useKeys(id: number) {
  const { data, problem, again } = useRead<{ keys: KeyRow[] }>(`/vault/${id}/keys`)
  const keys = data?.keys ?? []
  return {
    own: keys.filter((key) => key.access_key_id === null),
    access: keys.filter((key) => key.access_key_id !== null),
    loaded: data !== null,
    problem,
    again,
  }
}

export type Keys = ReturnType<typeof useKeys>
