import { conflict } from '#core/app_error'
import { translateUniqueKeys, violatedUniqueKey } from '#core/unique_keys'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Unique keys', () => {
  test('only violations of the named keys become expected errors', async ({ assert }) => {
    const { email } = await makeCustomer()
    const repeat = () => makeCustomer({ email })
    const taken = conflict('This address is taken.')
    await assert.rejects(
      () => translateUniqueKeys({ people_address: () => taken }, repeat),
      taken.message
    )
    const other = { devices_pkey: () => taken }
    const error: unknown = await translateUniqueKeys(other, repeat).catch((thrown) => thrown)
    assert.equal(violatedUniqueKey(error), 'people_address')
    assert.isUndefined(violatedUniqueKey(new Error('people_address')))
  })
})
