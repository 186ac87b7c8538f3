import { afterEach } from 'vitest'
import { cleanup, configure } from '@testing-library/react'

/** The default of one second is too short while other tests keep the processors busy. */
configure({ asyncUtilTimeout: 30_000 })

/** Mantine needs these functions, which jsdom lacks. */
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
  // jsdom's `performance`, used with `pool: vmThreads`, lacks this function.
  window.performance.getEntriesByType ??= () => []
}

afterEach(() => {
  if (typeof window === 'undefined') return
  cleanup()
  window.sessionStorage.clear()
})
