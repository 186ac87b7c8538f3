// @vitest-environment node
import { expect, it } from 'vitest'
import { pageNumbers } from './page_numbers'

const text = (current: number, pages: number) =>
  pageNumbers(current, pages)
    .map((page) => page ?? '…')
    .join(' ')

it.each([
  [1, 1, '1'],
  [2, 4, '1 2 3 4'],
  [1, 5, '1 2 … 5'],
  [3, 5, '1 2 3 4 5'],
  [1, 13, '1 2 … 13'],
  [4, 13, '1 2 3 4 5 … 13'],
  [7, 13, '1 … 6 7 8 … 13'],
  [13, 13, '1 … 12 13'],
])('numbers for page %d of %d', (current, pages, shown) => {
  expect(text(current, pages)).toBe(shown)
})
