import { recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'

const form = vine.create({
  id: recordIdSchema().nullable().optional(),
  port: wholeNumberSchema().range([-5, 65_535]).nullable().optional(),
})

test.group('Whole numbers in forms', () => {
  test('whole numbers, and text with only their digits, are accepted', async ({ assert }) => {
    assert.deepEqual(await form.validate({ id: '7', port: 8080 }), { id: 7, port: 8080 })
    assert.deepEqual(await form.validate({ id: 7, port: '-3' }), { id: 7, port: -3 })
    assert.deepEqual(await form.validate({ id: null }), { id: null })
  })

  test('other text that JavaScript converts to a number is rejected', async ({ assert }) => {
    const odd = [
      '0x50',
      '1e2',
      ' 80',
      '80 ',
      '80.0',
      '0.5',
      '+8',
      '080',
      '',
      '8_0',
      [80],
      ['80'],
      true,
      {},
    ]
    for (const value of odd) {
      await assert.rejects(() => form.validate({ id: value }))
      await assert.rejects(() => form.validate({ port: value }))
    }
  })
})
