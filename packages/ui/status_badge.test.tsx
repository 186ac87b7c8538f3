import { expect, it } from 'vitest'
import { render, screen } from '@testing-library/react'
import { billTone, StatusBadge } from './status_badge'

it('a bill that waits for approval differs from a paid one by its colour and its text', () => {
  const { container } = render(
    <>
      <StatusBadge status="processing" label="Processing" tone={billTone('processing')} />
      <StatusBadge status="success" label="Success" tone={billTone('success')} />
    </>
  )
  const tones = ['Processing', 'Success'].map((label) => screen.getByText(label).dataset.tone)
  expect(tones).toEqual(['claimed', 'good'])
  expect(container.textContent).toBe('Processing waiting for approvalSuccess')
})
