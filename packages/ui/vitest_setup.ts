import { afterEach } from 'vitest'
import { cleanup, configure } from '@testing-library/react'

/**
 * Timeout of `findBy…` and `waitFor`. The default of one second is too short while other tests keep the processors
 * busy.
 */
configure({ asyncUtilTimeout: 30_000 })

/** Defines browser functions that Mantine needs and jsdom lacks. */
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
  // jsdom's `performance` lacks this function if Vitest runs with `pool: vmThreads`.
  window.performance.getEntriesByType ??= () => []
}

afterEach(() => {
  if (typeof window === 'undefined') return
  cleanup()
  window.sessionStorage.clear()
})
