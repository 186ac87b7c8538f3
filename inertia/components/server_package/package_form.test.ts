import { expect, it } from 'vitest'
import { errorsByField, renewalFieldValue, packageFromForm } from './package_form'

it('each server error appears at its field', () => {
  const form = new FormData()
  form.set('name', 'Harbour')
  form.set('year_price', '-1')
  const sent = packageFromForm(form)
  const errors = {
    'pricing.0.price': ['odd'],
    'pricing.0.renew': ['odd'],
    'specifications.ram.value': ['too little'],
    'specifications.storage.type': ['too long'],
    name: ['too short'],
  }
  const words = ['odd']
  expect(errorsByField(errors, sent)).toEqual({
    year_price: words,
    year_renew: words,
    ram: ['too little'],
    storage_type: ['too long'],
    name: ['too short'],
  })
})

it('a renewal price that equals the first price is shown as an empty field', () => {
  expect(renewalFieldValue({ price: '4.25', renew: '4.250000' })).toBe('')
  expect(renewalFieldValue({ price: '4.25', renew: '5' })).toBe('5')
  const form = new FormData()
  form.set('month_price', '8')
  form.set('month_renew', '')
  expect(packageFromForm(form).pricing).toEqual([
    { period: 'month', price: '8', renew: '8', billing_cycle: 1 },
  ])
})
