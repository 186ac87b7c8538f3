import { useEffect, useEffectEvent, useState } from 'react'

/** Returns a text and its setter. The text survives a reload until it is set to an empty text. */
export function useStoredText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState('')
  // Reads the text after rendering, because server rendering has no local storage.
  const comeBack = useEffectEvent(() => {
    try {
      setText(window.localStorage.getItem(key) ?? '')
    } catch {
      // Local storage is forbidden. The text exists only until the page is closed.
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
      // Local storage is full or forbidden. The text exists only until the page is closed.
    }
  }
  return [text, keep]
}
