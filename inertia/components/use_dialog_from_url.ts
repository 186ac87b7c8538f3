import { useState } from 'react'
import { usePage } from '@inertiajs/react'

/**
 * Returns whether a dialog is open, and a function that sets it. The dialog is open at first if `may` is true and the
 * URL has the parameter, such as `?add=1`.
 */
export function useDialogFromUrl(name: string, may = true) {
  const { url } = usePage()
  return useState(() => may && new URL(url, 'http://page').searchParams.has(name))
}
