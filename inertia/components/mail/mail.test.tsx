import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiDocumentation } from './api_documentation'
import { sentInLatestMonth } from './sent_in_latest_month'
import { codeExample, exampleLanguages } from './code_examples'
import { MailContentFrame } from './mail_content_frame'
import { messageReason } from './message_reason'
import { DnsRecordCard } from './dns_record_card'
import { MaskedSecretKey } from '~/components/vault/masked_secret_key'

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  copied: [] as string[],
}))

vi.mock('~/api_call', async (original) => ({
  ...(await original<typeof import('~/api_call')>()),
  call: async (path: string, { data }: { data?: Record<string, unknown> } = {}) => {
    mocks.calls.push({ path, data })
    return { success: true, status: 200, message: '', errors: {}, data: { secret_key: 'told' } }
  },
}))

beforeEach(() => {
  mocks.calls.length = 0
  mocks.copied.length = 0
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void mocks.copied.push(text) },
  })
})

const show = (element: ReactNode) => render(<MantineProvider env="test">{element}</MantineProvider>)
const place = {
  mailHost: 'https://mail.example.com',
  accessKeyId: 42,
  submission: { host: 'mail.example.com', port: 587 },
}

describe('API documentation', () => {
  it('is collapsed, and shows host, account number and SMTP settings', () => {
    const { container } = show(<ApiDocumentation account={place} />)
    expect(container.querySelector('details')!.open).toBe(false)
    expect(screen.getByText('POST https://mail.example.com/send-mail')).toBeTruthy()
    expect(screen.getByLabelText('SMTP settings').textContent).toContain('587')
  })

  it('has an example in each language, with every field', () => {
    for (const language of exampleLanguages) {
      const text = codeExample(language, { ...place, email: 'shop@example.com' })
      expect(text).toContain('https://mail.example.com/send-mail')
      expect(text).toMatch(/X-Access-Key-Id'?: '?42/u)
      for (const field of ['sender_name', 'recipient_email', 'recipient_name', 'subject']) {
        expect(text).toContain(field)
      }
      expect(text).toContain('shop@example.com')
    }
  })
})

describe('Secret key', () => {
  it('is requested only when a person copies it', async () => {
    show(<MaskedSecretKey from="/email/secret" id={7} masked="••••••••" />)
    expect(mocks.calls).toEqual([])
    fireEvent.click(screen.getByRole('button', { name: 'Copy secret key' }))
    await waitFor(() => expect(mocks.copied).toEqual(['told']))
    expect(mocks.calls).toEqual([{ path: '/email/secret', data: { id: 7 } }])
  })

  it('is shown as unavailable if there is none', () => {
    show(<MaskedSecretKey from="/email/secret" id={7} masked={null} />)
    expect(screen.getByText('Not Available')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })
})

describe('Content of a mail', () => {
  it('is shown in a sandboxed frame without permissions', () => {
    const { container } = show(
      <MailContentFrame html="<script>top.gone = 1</script>" text="Hello" label="The mail" />
    )
    const frame = container.querySelector('iframe')!
    expect(frame.getAttribute('sandbox')).toBe('')
    expect(container.querySelector('script')).toBeNull()
    fireEvent.click(screen.getByText('Text'))
    expect(screen.getByLabelText('The mail').textContent).toBe('Hello')
  })

  it('shows a message if it is no longer stored', () => {
    show(<MailContentFrame html={null} text={null} label="The mail" />)
    expect(screen.getByText('The content of this message is no longer stored.')).toBeTruthy()
  })
})

describe('DNS record card', () => {
  it('shows the wrong value that was found, and how to correct it', () => {
    const record: Parameters<typeof DnsRecordCard>[0]['record'] = {
      purpose: 'spf',
      type: 'TXT',
      name: 'bounce.example.com',
      value: 'v=spf1 a:m ~all',
      state: 'wrong',
      found: ['v=spf1 -all'],
      advice: 'Add a:m.',
      needed: true,
    }
    show(<DnsRecordCard record={record} next={false} />)
    expect(screen.getByText('v=spf1 -all')).toBeTruthy()
    expect(screen.getByText('Add a:m.')).toBeTruthy()
    expect(screen.getByText('Wrong')).toBeTruthy()
  })
})

describe('Reason of a message’s state', () => {
  it('is the last delivery response, or what the message waits for', () => {
    const message = { reason: null, enhanced: null, nextAt: null }
    const greylisted = { ...message, reason: 'Greylisted, try later', enhanced: '4.7.1' }
    expect(messageReason({ ...greylisted, state: 'queued' })).toBe('4.7.1 Greylisted, try later')
    const later = new Date(Date.now() + 60_000).toISOString()
    expect(messageReason({ ...message, state: 'queued', nextAt: later })).toMatch(/next attempt/)
    expect(messageReason({ ...message, state: 'queued' })).toMatch(/free connection/)
    expect(messageReason({ ...message, state: 'scheduled', nextAt: later })).toMatch(/Scheduled/)
    expect(messageReason({ ...message, state: 'sending' })).toMatch(/sending it now/)
    expect(messageReason({ ...message, state: 'delivered' })).toBe('')
  })
})

describe('Count of sent messages', () => {
  it('is that of the newest month', () => {
    expect(sentInLatestMonth({ '2026-11': 3, '2026-10': 9 })).toBe(3)
    expect(sentInLatestMonth({})).toBe(0)
  })
})
