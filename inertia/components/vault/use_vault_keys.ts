import type { AccessKeyRow } from './types'
import { useFetch } from '../use_fetch'

export function useVaultKeys(id: number) {
  const { data, problem, again } = useFetch<{ keys: AccessKeyRow[] }>(`/vault/${id}/keys`)
  const keys = data?.keys ?? []
  return {
    own: keys.filter((key) => key.access_key_id === null),
    access: keys.filter((key) => key.access_key_id !== null),
    loaded: data !== null,
    problem,
    again,
  }
}

export type VaultKeys = ReturnType<typeof useVaultKeys>
