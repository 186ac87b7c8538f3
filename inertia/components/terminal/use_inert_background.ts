import { useEffect, type RefObject } from 'react'

/** Makes everything behind an element that covers the page inert: it neither scrolls nor gets the keyboard focus. */
export function useInertBackground(element: RefObject<HTMLElement | null>, covering: boolean) {
  useEffect(() => {
    if (!covering) return
    const behind: Element[] = []
    for (let at: Element | null = element.current; at && at !== document.body;) {
      const parent: Element | null = at.parentElement
      for (const other of parent?.children ?? []) {
        if (other === at || other.hasAttribute('inert') || other.matches('script, style')) continue
        other.setAttribute('inert', '')
        behind.push(other)
      }
      at = parent
    }
    const { overflow } = document.body.style
    document.body.style.overflow = 'hidden'
    return () => {
      for (const other of behind) other.removeAttribute('inert')
      document.body.style.overflow = overflow
    }
  }, [element, covering])
}
