import { expect, it } from 'vitest'
import { errorsByField, packageFrom } from './package_form'

it('shows what the server says of a package at the field that it is about', () => {
  const form = new FormData()
  form.set('name', 'Harbour')
  form.set('year_price', '-1')
  const sent = packageFrom(form)
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
