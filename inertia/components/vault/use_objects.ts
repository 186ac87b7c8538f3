import { useState } from 'react'
import { call } from '~/api_call'
import type { ObjectListing, VaultPage } from './types'

export function useObjects({ vault, path, search, objects }: VaultPage) {
  const [more, setMore] = useState<{ of: ObjectListing; added: ObjectListing } | null>(null)
  const [busy, setBusy] = useState(false)
  // When the first page is reloaded, the pages after it are discarded.
  const added = more?.of === objects ? more.added : null
  const shown: ObjectListing = added
    ? {
        folders: [...objects.folders, ...added.folders],
        files: [...objects.files, ...added.files],
        next: added.next,
      }
    : objects

  const showMore = async () => {
    setBusy(true)
    const { data } = await call<{ objects: ObjectListing }>(`/vault/${vault.id}/objects`, {
      method: 'GET',
      data: { path, search: search || undefined, after: shown.next },
      toasts: 'failures',
    })
    setBusy(false)
    if (!data) return
    const { folders, files, next } = data.objects
    setMore({
      of: objects,
      added: {
        folders: [...(added?.folders ?? []), ...folders],
        files: [...(added?.files ?? []), ...files],
        next,
      },
    })
  }

  return { shown, showMore, busy }
}
