import { MantineProvider } from '@mantine/core'
import { RegionContext } from '@ui/region'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { BillEmails } from './bill_emails'
import { Charges } from './charges'
import { PaymentDecision } from './payment_decision'
import { PayDialog } from './pay_dialog'

const mocks = vi.hoisted(() => ({
  calls: [] as { path: string; data: unknown }[],
  visits: [] as string[],
  unavailable: {} as Record<string, string>,
  refusal: null as Record<string, string[]> | null,
}))

vi.mock('@inertiajs/react', () => ({
  usePage: () => ({ url: '/admin', props: { unavailable: mocks.unavailable } }),
  router: {
    on: () => () => {},
    reload: vi.fn(),
    visit: (to: string) => mocks.visits.push(to),
  },
}))
vi.mock('~/api_call', async (original) => ({
  ...(await original<typeof import('~/api_call')>()),
  call: async (path: string, { data }: { data?: unknown } = {}) => {
    mocks.calls.push({ path, data })
    if (mocks.refusal) return { success: false, status: 422, message: '', errors: mocks.refusal }
    return { success: true, status: 200, message: '', errors: {} }
  },
}))

beforeEach(() => {
  mocks.calls.length = 0
  mocks.visits.length = 0
  mocks.unavailable = {}
  mocks.refusal = null
})

const taka = { currency: 'BDT', name: 'taka', symbol: '৳', digits: 2, timeZone: 'Asia/Dhaka' }
const show = (element: React.ReactNode) =>
  render(
    <RegionContext value={taka}>
      <MantineProvider>{element}</MantineProvider>
    </RegionContext>
  )
const waiting = { id: 7, account_number: '01711', status: 'processing' }

describe('Charges', () => {
  const row = { bill_type: 'bronze', billing_period: 'month', cost: '1', cost_taka: '122.50' }
  const services = [
    { ...row, id: 1, type: 'server_instance', name: 'web-1' },
    { ...row, id: 2, type: 'vault', name: 'photos' },
    { ...row, id: 3, type: 'mail', name: 'letters' },
  ]

  it('appear in two groups with totals, which can be collapsed', () => {
    show(<Charges services={services} totals={{ servers: '122.50', vaults: '245.00' }} />)
    const servers = screen.getByRole('button', { name: /Server Instances \(1\)/ })
    expect(screen.getByRole('button', { name: /Vaults \(2\)/ }).textContent).toContain('245.00')
    expect(screen.getByText('web-1')).toBeTruthy()
    fireEvent.click(servers)
    expect(screen.queryByText('web-1')).toBeNull()
    expect(screen.getByText('letters')).toBeTruthy()
  })
})

describe('Payment decision', () => {
  it('asks for confirmation with the specified text, then opens the next bill', async () => {
    show(<PaymentDecision bill={waiting} family="billing" next={8} />)
    fireEvent.keyDown(document.documentElement, { key: 'a', code: 'KeyA' })
    await screen.findByText('Are you sure you want to approve this account (01711)?')
    fireEvent.click(screen.getAllByRole('button', { name: 'Approve' }).at(-1)!)
    await waitFor(() => expect(mocks.visits).toEqual(['/admin/billing/details/8']))
    expect(mocks.calls).toEqual([{ path: '/admin/billing/approve', data: { id: 7 } }])
  })

  it('a rejection sends the note', async () => {
    show(<PaymentDecision bill={waiting} family="autocourier-billing" next={null} />)
    fireEvent.click(screen.getByRole('button', { name: 'Reject' }))
    await screen.findByText('Are you sure you want to reject this account (01711)?')
    fireEvent.change(screen.getByLabelText('Note'), { target: { value: 'No' } })
    fireEvent.submit(screen.getByLabelText('Note').closest('form')!)
    const sent = { path: '/admin/autocourier-billing/reject', data: { id: 7, note: 'No' } }
    await waitFor(() => expect(mocks.calls).toEqual([sent]))
  })

  it('is shown only while a payment waits, and disabled for support staff', () => {
    const { unmount } = show(
      <PaymentDecision bill={{ ...waiting, status: 'success' }} family="billing" next={null} />
    )
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    unmount()
    mocks.unavailable = { 'bills.decide': 'Only administrators can approve or reject bills.' }
    show(<PaymentDecision bill={waiting} family="billing" next={null} />)
    const approve = screen.getByRole('button', { name: 'Approve' })
    expect(approve.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('Billing Emails', () => {
  it('show which emails were sent, and can send the others', async () => {
    const mail = { sent_at: null, reason: null }
    show(
      <BillEmails
        id={7}
        emails={[
          { ...mail, mail_type: 'created', label: 'Created', sent: true },
          { ...mail, mail_type: 'reminder', label: 'Reminder', sent: false },
        ]}
      />
    )
    expect(screen.getByText('Sent')).toBeTruthy()
    expect(screen.getByText('Not Sent')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Send: Reminder' }))
    const sent = { path: '/admin/billing/send-email', data: { id: 7, mail_type: 'reminder' } }
    await waitFor(() => expect(mocks.calls).toEqual([sent]))
  })
})

describe('Payment dialog', () => {
  it('shows account and amount, and sends an amount only if the person typed one', async () => {
    const bill = { id: 7, number: 'B-2026-000001' }
    const close = vi.fn()
    show(
      <PayDialog
        bill={bill}
        totalPayable="1246.44"
        feePercent="1.75"
        merchantAccount="01800"
        onClose={close}
      />
    )
    await screen.findByText('01800')
    expect(screen.getByRole('button', { name: 'Copy total payable' })).toBeTruthy()
    fireEvent.change(screen.getByLabelText(/Account number/), { target: { value: '01711' } })
    fireEvent.change(screen.getByLabelText(/Transaction ID/), { target: { value: 'ABC123' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send for approval' }))
    await waitFor(() => expect(close).toHaveBeenCalled())
    const data = { id: 7, account_number: '01711', reference: '', trx_id: 'ABC123' }
    expect(mocks.calls).toEqual([{ path: '/billing/pay', data }])
  })

  it('accepts several transfers, shows the remaining amount, and keeps the fields after an error', async () => {
    const bill = { id: 7, number: 'B-2026-000001' }
    mocks.refusal = { 'parts.1.trx_id': ['Enter only the transaction ID, such as 8N7A2B3C4D.'] }
    const close = vi.fn()
    show(
      <PayDialog
        bill={bill}
        totalPayable="1246.44"
        feePercent="1.75"
        merchantAccount="018 00"
        onClose={close}
      />
    )
    await screen.findByRole('img', { name: 'QR code of 018 00' })
    const type = (label: RegExp, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } })
    const add = screen.getByRole('button', { name: 'Add another transfer' })
    fireEvent.click(add)
    fireEvent.click(add)
    expect(document.activeElement).toBe(screen.getByLabelText(/Transaction ID 3/))
    fireEvent.click(screen.getByRole('button', { name: 'Remove transfer 2' }))
    expect(document.activeElement).toBe(add)
    type(/Account number/, '01711')
    type(/Transaction ID 1/, 'ABC123')
    type(/Amount sent 1/, '1000')
    expect(screen.getByRole('status').textContent?.replaceAll(/\s/g, '')).toContain('৳246.44left')
    type(/Transaction ID 2/, '?')
    type(/Amount sent 2/, '246.44')
    fireEvent.click(screen.getByRole('button', { name: 'Send for approval' }))
    await screen.findByText('Enter only the transaction ID, such as 8N7A2B3C4D.')
    expect(close).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(screen.getByLabelText(/Transaction ID 2/))
    expect(screen.getByLabelText<HTMLInputElement>(/Amount sent 2/).value).toBe('246.44')
    const parts = [
      { trx_id: 'ABC123', amount: '1000' },
      { trx_id: '?', amount: '246.44' },
    ]
    expect(mocks.calls[0].data).toEqual({ id: 7, account_number: '01711', reference: '', parts })
  })
})
