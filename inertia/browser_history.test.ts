import type { Page } from '@inertiajs/core'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { SharedProps } from '~/types'
import { discardOtherUsersPages } from './browser_history'

const told = vi.hoisted(() => ({ navigate: (_event: unknown) => {} }))
vi.mock('@inertiajs/react', () => ({
  router: {
    on: (_name: string, listener: (event: unknown) => void) => void (told.navigate = listener),
  },
}))

const pageOf = (id: number | null) =>
  ({ props: { user: id === null ? null : { id } } }) as unknown as Page<SharedProps>
const nowAt = (id: number | null) => told.navigate({ detail: { page: pageOf(id) } })

/** Returns whether the popstate event reaches a listener that was added later, such as Inertia's. */
function isDrawn(state: unknown): boolean {
  let heard = false
  const inertia = () => void (heard = true)
  addEventListener('popstate', inertia)
  dispatchEvent(new PopStateEvent('popstate', { state }))
  removeEventListener('popstate', inertia)
  return heard
}

beforeAll(() => {
  history.replaceState({ page: pageOf(7) }, '')
  discardOtherUsersPages(pageOf(null))
})
beforeEach(() => nowAt(7))

it('a history entry of another person is cleared on the first page', () => {
  expect(history.state).toBeNull()
})

it('Back renders a history entry of the same person or of a public page, and an encrypted entry', () => {
  expect(isDrawn({ page: pageOf(7) })).toBe(true)
  expect(isDrawn({ page: pageOf(null) })).toBe(true)
  expect(isDrawn({ page: new ArrayBuffer(8) })).toBe(true)
})

it('Back reloads a history entry of another or a signed-out person from the server', () => {
  expect(isDrawn({ page: pageOf(8) })).toBe(false)
  nowAt(null)
  expect(isDrawn({ page: pageOf(7) })).toBe(false)
})
