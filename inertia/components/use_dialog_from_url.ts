import { useState } from 'react'
import { usePage } from '@inertiajs/react'

/**
 * Returns the state of a dialog, which is open at first if the URL has the parameter, such as
 * `?add=1`.
 */
export function useDialogFromUrl(name: string, may = true) {
  const { url } = usePage()
  return useState(() => may && new URL(url, 'http://page').searchParams.has(name))
}
