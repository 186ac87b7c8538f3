import { useEffect, useEffectEvent, useState } from 'react'

/** What is typed, kept in this browser over a reload until it is emptied. */
export function useStoredText(key: string): [string, (text: string) => void] {
  const [text, setText] = useState('')
  // Pages are made on the server first, which knows nothing of it.
  const comeBack = useEffectEvent(() => {
    try {
      setText(window.localStorage.getItem(key) ?? '')
    } catch {
      // It lives in this page then.
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
      // As above.
    }
  }
  return [text, keep]
}
