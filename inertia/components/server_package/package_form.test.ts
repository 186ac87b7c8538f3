import { expect, it } from 'vitest'
import { errorsByField, renewalFieldValue, packageFromForm } from './package_form'

it('shows what the server says of a package at the field that it is about', () => {
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

it('leaves a renewal that equals the price empty, so that it follows', () => {
  expect(renewalFieldValue({ price: '4.25', renew: '4.250000' })).toBe('')
  expect(renewalFieldValue({ price: '4.25', renew: '5' })).toBe('5')
  const form = new FormData()
  form.set('month_price', '8')
  form.set('month_renew', '')
  expect(packageFromForm(form).pricing).toEqual([
    { period: 'month', price: '8', renew: '8', billing_cycle: 1 },
  ])
})
