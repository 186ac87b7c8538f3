import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Money, formatTaka } from './money'
import { RegionContext } from './region'

const taka = { currency: 'BDT', name: 'taka', symbol: '৳', digits: 2, timeZone: 'Asia/Dhaka' }

describe('Amounts in taka', () => {
  it.each([
    ['10', '121.5', '৳1,215.00'],
    ['0.0004', '121.5', '৳0.05'],
    ['1.005', '1', '৳1.01'],
    ['0.1', '0.05', '৳0.01'],
    ['0.000001', '121.5', '৳0.00'],
    ['-2.5', '100', '-৳250.00'],
    ['10', '0', 'No rate set'],
    ['9007199254740993.11', '1', '৳9,007,199,254,740,993.11'],
  ])('%s dollars at %s is %s', (amount, rate, text) => {
    expect(formatTaka(amount, rate, taka)).toBe(text)
  })
})

it('separates groups of digits by commas', () => {
  const { container } = render(
    <RegionContext value={taka}>
      <Money amount="1234567.5" rate="1" />
    </RegionContext>
  )
  expect(container.textContent).toBe('৳1,234,567.50')
})

it.each([
  ['-1234.5', '€', 2, '-€1,234.50'],
  ['1234.5', '¥', 0, '¥1,235'],
  ['1234.5', 'CHF', 2, 'CHF\u00A01,234.50'],
  ['1234.5', 'Rs.', 1, 'Rs.\u00A01,234.5'],
])('%s with %s and %i decimals is %s', (amount, symbol, digits, text) => {
  expect(formatTaka(amount, '1', { symbol, digits })).toBe(text)
})
