import { useState } from 'react'
import { usePage } from '@inertiajs/react'

/**
 * Returns the open state of a dialog and its setter. At first it is open if the URL has the
 * parameter, such as `?add=1`.
 */
export function useDialogFromUrl(name: string, may = true) {
  const { url } = usePage()
  return useState(() => may && new URL(url, 'http://page').searchParams.has(name))
}
