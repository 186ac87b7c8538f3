import { expect, it } from 'vitest'
import { billTone } from './status_badge'
import { durationText } from './step_list'
import { statusLabel } from './status_label'

it.each([
  ['payment_received', 'Payment Received'],
  ['active', 'Active'],
  ['waiting_for_host_x', 'Waiting For Host X'],
])('%s is shown as %s', (status, words) => {
  expect(statusLabel(status)).toBe(words)
})

it('pending and rejected bills have the tone `wait`, processing bills `claimed`, and others `good`', () => {
  const statuses = ['pending', 'rejected', 'processing', 'success', 'deleted']
  expect(statuses.map(billTone)).toEqual(['wait', 'wait', 'claimed', 'good', 'good'])
})

it.each([
  [400, '0.4 s'],
  [12_300, '12 s'],
  [65_000, '1 min 05 s'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
