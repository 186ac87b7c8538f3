import {
  formatDollarAmount,
  sameAmount,
  sumAmounts,
  dollarsToTaka,
  totalTakaWithFee,
} from '#core/money'
import { test } from '@japa/runner'

test.group('Money', () => {
  test('a sum is exact where floating point is not', ({ assert }) => {
    assert.equal(sumAmounts(['0.1', '0.2', '0.000001']), '0.300001')
  })

  test('dollars are converted to taka with two decimals, rounded once, half up', ({ assert }) => {
    assert.equal(dollarsToTaka('0.005', '1'), '0.01')
    assert.equal(dollarsToTaka('1.004999', '1'), '1.00')
    assert.equal(dollarsToTaka('12.345678', '122.5'), '1512.35')
  })

  test('staff see dollars with two decimals, or more if the amount has more', ({ assert }) => {
    assert.deepEqual(['5', '5.10', '0.000001', '12.3450'].map(formatDollarAmount), [
      '$5.00',
      '$5.10',
      '$0.000001',
      '$12.345',
    ])
  })

  test('amounts are equal regardless of trailing zeros', ({ assert }) => {
    assert.isTrue(sameAmount('5', '5.000'))
    assert.isFalse(sameAmount('5', '5.000001'))
  })

  test('the fee for mobile money is added: 1.75 %', ({ assert }) => {
    assert.equal(totalTakaWithFee('10', '122.50', '1.75'), '1246.44')
  })
})
