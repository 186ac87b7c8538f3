import { useState } from 'react'
import type { NonGetRoutePath } from '#core/page_addresses'
import { call, type CallOptions, type CallResult } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'

/**
 * Returns a function that makes a POST call and by default shows its message as a toast. After success, 404 or 409 it
 * reloads the props that may have changed. `busy` is the path of the running call. Buttons are disabled while it is
 * set, so that nobody presses one twice.
 */
export function useApiCall() {
  const [busy, setBusy] = useState<NonGetRoutePath | null>(null)

  const run = async <T = unknown>(
    path: NonGetRoutePath,
    data: Record<string, unknown>,
    toasts?: CallOptions['toasts']
  ): Promise<CallResult<T>> => {
    setBusy(path)
    const result = await call<T>(path, { method: 'POST', data, toasts })
    setBusy(null)
    if (result.success || result.status === 409 || result.status === 404) reloadChangingProps()
    return result
  }

  return { busy, run }
}
