import type { ReactNode } from 'react'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import { currentEntryHref, isCurrentEntry } from './menus'
import { Sidebar } from './sidebar'

const page = vi.hoisted(() => ({ url: '/admin', props: { badges: {} as Record<string, number> } }))
vi.mock('@inertiajs/react', () => ({
  usePage: () => page,
  router: { visit: vi.fn() },
  Link: ({
    children,
    prefetch: _prefetch,
    ...rest
  }: {
    children: ReactNode
    prefetch?: string
  }) => <a {...rest}>{children}</a>,
}))

const menu: MenuGroup[] = [
  { label: 'Dashboard', icon: 'dashboard', href: '/admin' },
  {
    label: 'VPS Servers',
    icon: 'server',
    entries: [{ label: 'Instances', href: '/admin/server-instance/list' }],
  },
  {
    label: 'Host Instances',
    icon: 'anchor',
    entries: [{ label: 'Host Instances', href: '/admin/host-instance/list' }],
  },
  {
    label: 'Projects',
    icon: 'site',
    entries: [{ label: 'Projects', href: '/admin/project/list' }],
  },
  {
    label: 'Billing & Payments',
    icon: 'receipt',
    entries: [
      { label: 'console billing', href: '/admin/billing/list' },
      { label: 'Auto Courier billing', href: '/admin/autocourier-billing/list' },
    ],
  },
]

const group = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) })
const isOpen = (name: string) => group(name).getAttribute('aria-expanded') === 'true'

beforeEach(() => {
  page.url = '/admin'
  page.props.badges = {}
})

describe('Menu groups', () => {
  it('open one at a time, and can be closed', async () => {
    const user = userEvent.setup()
    render(<Sidebar menu={menu} />)
    await user.click(group('VPS Servers'))
    expect(isOpen('VPS Servers')).toBe(true)
    await user.click(group('Projects'))
    expect([isOpen('VPS Servers'), isOpen('Projects')]).toEqual([false, true])
    await user.click(group('Projects'))
    expect(isOpen('Projects')).toBe(false)
  })

  it('the current page’s group opens, also after a visit to another page', async () => {
    const user = userEvent.setup()
    page.url = '/admin/billing/details/4'
    const { rerender } = render(<Sidebar menu={menu} />)
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('console billing')
    await user.click(group('Projects'))
    expect(isOpen('Billing & Payments')).toBe(false)
    page.url = '/admin/host-instance/list?page=2'
    rerender(<Sidebar menu={menu} />)
    expect([isOpen('Projects'), isOpen('Host Instances')]).toEqual([false, true])
  })

  it('a closed group shows the sum of its entries’ unread counts', async () => {
    page.props.badges = { '/admin/billing/list': 2, '/admin/autocourier-billing/list': 3 }
    const user = userEvent.setup()
    render(<Sidebar menu={menu} />)
    expect(group('Billing & Payments').textContent).toContain('5 new')
    await user.click(group('Billing & Payments'))
    expect(group('Billing & Payments').textContent).not.toContain('new')
    expect(screen.getByRole('link', { name: /Auto Courier billing/ }).textContent).toContain(
      '3 new'
    )
  })
})

it('the current entry matches only its own section’s URLs', () => {
  expect(isCurrentEntry('/', '/')).toBe(true)
  expect(isCurrentEntry('/', '/vault/list')).toBe(false)
  expect(isCurrentEntry('/admin', '/admin/vault/list')).toBe(false)
  expect(isCurrentEntry('/vault/list', '/vault/7?path=a')).toBe(true)
  expect(isCurrentEntry('/vault/list', '/vault')).toBe(true)
  expect(isCurrentEntry('/billing', '/billing/4')).toBe(true)
  expect(isCurrentEntry('/admin/billing/list', '/admin/billing-x')).toBe(false)
})

it('if several entries match a URL, the entry with the longest matching URL is current', () => {
  const lists = ['/admin/billing/list', '/admin/billing/settings'] as const
  const entries = lists.map((href) => ({ label: href, href }))
  const all: MenuGroup[] = [{ label: 'Billing', icon: 'receipt', entries }]
  expect(currentEntryHref(all, '/admin/billing/settings?x=1')).toBe(lists[1])
  expect(currentEntryHref(all, '/admin/billing/details/4')).toBe(lists[0])
  expect(currentEntryHref(all, '/admin/vault/list')).toBe(null)
})
