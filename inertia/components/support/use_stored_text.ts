import { useEffect, useEffectEvent, useState } from 'react'

/** Returns a text that survives a reload until it is emptied, and its setter. */
export function useStoredText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState('')
  // Reads the text only in the browser, because server rendering has no local storage.
  const comeBack = useEffectEvent(() => {
    try {
      setText(window.localStorage.getItem(key) ?? '')
    } catch {
      // The storage is forbidden. The text lives only in this page.
    }
  })
  useEffect(() => {
    const timer = window.setTimeout(() => comeBack(), 0)
    return () => window.clearTimeout(timer)
  }, [key])
  const keep = (now: string) => {
    setText(now)
    try {
      if (now) window.localStorage.setItem(key, now)
      else window.localStorage.removeItem(key)
    } catch {
      // The storage is full or forbidden. The text lives only in this page.
    }
  }
  return [text, keep]
}
