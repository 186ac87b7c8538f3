import { useState } from 'react'
import { usePage } from '@inertiajs/react'

/** Whether a dialog is open: at first where the address asks for it, `?add=1`. */
export function useDialogFromUrl(name: string, may = true) {
  const { url } = usePage()
  return useState(() => may && new URL(url, 'http://page').searchParams.has(name))
}
