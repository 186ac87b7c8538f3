import { afterEach } from 'vitest'
import { cleanup } from '@testing-library/react'

/** What Mantine asks of a browser and jsdom does not have. */
if (typeof window !== 'undefined') {
  window.matchMedia ??= (query: string) =>
    ({
      matches: false,
      media: query,
      onchange: null,
      addEventListener: () => {},
      removeEventListener: () => {},
      addListener: () => {},
      removeListener: () => {},
      dispatchEvent: () => false,
    }) satisfies MediaQueryList
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  Element.prototype.scrollIntoView ??= () => {}
  // In a context of its own (`pool: vmThreads`) a page has jsdom's, which measures nothing.
  window.performance.getEntriesByType ??= () => []
}

afterEach(() => {
  if (typeof window === 'undefined') return
  cleanup()
  window.sessionStorage.clear()
})
