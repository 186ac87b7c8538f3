import {
  formatDollarAmount,
  sameAmount,
  sumAmounts,
  dollarsToTaka,
  totalTakaWithFee,
} from '#core/money'
import { test } from '@japa/runner'

test.group('Money', () => {
  test('is exact: sums that floats get wrong', ({ assert }) => {
    assert.equal(sumAmounts(['0.1', '0.2', '0.000001']), '0.300001')
  })

  test('is shown in taka with two decimals, half up, rounded once', ({ assert }) => {
    assert.equal(dollarsToTaka('0.005', '1'), '0.01')
    assert.equal(dollarsToTaka('1.004999', '1'), '1.00')
    assert.equal(dollarsToTaka('12.345678', '122.5'), '1512.35')
  })

  test('is read by staff in dollars, with what is beyond cents where there is any', ({
    assert,
  }) => {
    assert.deepEqual(['5', '5.10', '0.000001', '12.3450'].map(formatDollarAmount), [
      '$5.00',
      '$5.10',
      '$0.000001',
      '$12.345',
    ])
  })

  test('is the same however many zeros it is written with', ({ assert }) => {
    assert.isTrue(sameAmount('5', '5.000'))
    assert.isFalse(sameAmount('5', '5.000001'))
  })

  test('costs 1.75 % more when paid by hand', ({ assert }) => {
    assert.equal(totalTakaWithFee('10', '122.50', '1.75'), '1246.44')
  })
})
