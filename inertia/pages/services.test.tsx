import { expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import Services from './services'

vi.mock('@inertiajs/react', () => ({
  Head: () => null,
  Link: () => null,
  router: {},
  usePage: () => ({ props: { dollarRate: '123.45', user: { id: 1 } }, url: '/services' }),
}))

const page = (isSoldOut: boolean) => ({
  servers: [
    {
      name: 'Bronze 2',
      instance_type: 'regular',
      server_series: 'bronze',
      sold_out: isSoldOut,
      specifications: {},
      pricing: [{ period: 'month', price: '10' }],
    },
  ],
  prices: { storage: '0.01', bandwidth: '0.01', request: '0.001', mail: '0.001' },
  included: { storageGb: 5, bandwidthGb: 10 },
  feePercent: '0',
})

it('a sold-out package shows the reason', () => {
  const show = (isSoldOut: boolean) => (
    <MantineProvider>
      <Services {...page(isSoldOut)} />
    </MantineProvider>
  )
  const { rerender } = render(show(true))
  expect(screen.getAllByText('Bronze 2 (sold out)').length).toBeGreaterThan(0)
  screen.getByText(/^Sold out: no host has enough free vCPUs/)
  rerender(show(false))
  expect(screen.queryByText(/^Sold out/)).toBeNull()
})
