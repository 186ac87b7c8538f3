import { expect, it } from 'vitest'
import { tabUrl, tabFromUrl } from './url_tabs'

const tabs = [{ key: 'metrics' }, { key: 'terminal' }]

it('the tab is read from the URL', () => {
  expect(tabFromUrl('/project/1?tab=terminal', tabs)).toBe('terminal')
  expect(tabFromUrl('/project/1', tabs)).toBe('metrics')
  expect(tabFromUrl('/project/1?tab=nothing', tabs)).toBe('metrics')
})

it('the tab is written into the URL, and other parameters stay', () => {
  expect(tabUrl('/vault/1?path=a%2Fb', 'terminal', 'metrics')).toBe(
    '/vault/1?path=a%2Fb&tab=terminal'
  )
  expect(tabUrl('/vault/1?path=a%2Fb&tab=terminal', 'metrics', 'metrics')).toBe(
    '/vault/1?path=a%2Fb'
  )
})
