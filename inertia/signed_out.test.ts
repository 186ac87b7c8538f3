import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkSignedOut, isSignedOut, registerSignedOutDialog, reportSignedOut } from './signed_out'

let unregister: () => void

/** Checks the session. The fake server responds with this status and, if it is 200, with this person. */
const check = (status: number, person = 7) => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ success: true, data: { things: [], person } }, { status }))
  )
  return checkSignedOut('customer', 7)
}

beforeEach(() => {
  unregister = registerSignedOutDialog()
})

afterEach(() => {
  unregister()
  vi.unstubAllGlobals()
})

it('after a sign-out, the page appears again when the same person signs in', async () => {
  await check(401)
  expect(isSignedOut()).toBe(true)
  for (const status of [429, 503]) {
    await check(status)
    expect(isSignedOut()).toBe(true)
  }
  await check(200)
  expect(isSignedOut()).toBe(false)
})

it('after a sign-out, the page stays covered if another person signs in', async () => {
  reportSignedOut()
  await check(200, 8)
  expect(isSignedOut()).toBe(true)
  await check(200)
  expect(isSignedOut()).toBe(false)
})
