import { MantineProvider } from '@mantine/core'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MAIL_POLL_INTERVAL_MS, MessageView } from './message_view'
import type { MessageDetails } from './types'

interface Request {
  signal: AbortSignal
  respond: (result: unknown) => Promise<void>
}

const mocks = vi.hoisted(() => ({ requests: [] as Request[] }))

vi.mock('~/api_call', async (original) => ({
  ...(await original<typeof import('~/api_call')>()),
  call: (_path: string, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve) =>
      mocks.requests.push({ signal, respond: (result) => act(async () => resolve(result)) })
    ),
}))

const message: MessageDetails = {
  id: '7',
  at: '2026-11-28T10:00:00Z',
  state: 'queued',
  recipient: 'ana@example.com',
  subject: 'Hello',
  tags: [],
  attempts: 0,
  nextAt: null,
  enhanced: null,
  reason: null,
  messageId: 'm@example.com',
  senderName: 'Shop',
  recipientName: 'Ana',
  size: 9,
  text: 'plain text',
  html: '<p>markup</p>',
  attachments: [],
  history: [],
  events: [],
}
const loaded = (state: MessageDetails['state']) => {
  const data = { message: Object.assign({}, message, { state }) }
  return { success: true, message: '', data }
}
const failed = { success: false, message: 'No network connection.' }
const wait = (intervals: number) =>
  act(() => vi.advanceTimersByTimeAsync(intervals * MAIL_POLL_INTERVAL_MS))

beforeEach(() => {
  vi.useFakeTimers()
  mocks.requests.length = 0
  render(
    <MantineProvider env="test">
      <MessageView
        base="/email"
        sender={1}
        message="7"
        states={{ queued: 'Waiting', delivered: 'Delivered' }}
        barred={null}
        onChanged={() => {}}
      />
    </MantineProvider>
  )
})
afterEach(() => {
  vi.useRealTimers()
})

it('a message appears on a slow connection, because polls do not cancel the first request', async () => {
  await wait(3)
  expect(mocks.requests).toHaveLength(1)
  expect(mocks.requests[0].signal.aborted).toBe(false)
  await mocks.requests[0].respond(loaded('queued'))
  expect(screen.getByText('Waiting')).toBeTruthy()
})

it('a message is polled one request at a time, until its state is final', async () => {
  await mocks.requests[0].respond(loaded('queued'))
  await wait(3)
  expect(mocks.requests).toHaveLength(2)
  await mocks.requests[1].respond(loaded('delivered'))
  expect(screen.getByText('Delivered')).toBeTruthy()
  await wait(3)
  expect(mocks.requests).toHaveLength(2)
})

it('a message stays open with the chosen format if a poll fails', async () => {
  await mocks.requests[0].respond(loaded('queued'))
  fireEvent.click(screen.getByRole('radio', { name: 'Text' }))
  await wait(1)
  await mocks.requests[1].respond(failed)
  expect(screen.getByText('plain text')).toBeTruthy()
  expect(screen.queryByText('No network connection.')).toBeNull()
})

it('an error is shown if the message was never loaded', async () => {
  await mocks.requests[0].respond(failed)
  expect(screen.getByText('No network connection.')).toBeTruthy()
})
