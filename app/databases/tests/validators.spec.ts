import {
  backupPlanValidator,
  credentialsValidator,
  importValidator,
  projectConnectionValidator,
} from '#databases/validators/database'
import { test } from '@japa/runner'
import { errors } from '@vinejs/vine'

test.group('Forms of databases', () => {
  test('a backup plan is nightly for true, 1 and “on”, and for no other value', async ({
    assert,
  }) => {
    const sent = [true, 1, '1', 'true', 'on', false, 0, 'off', 'no', '', 'yes', [], null, undefined]
    const read = await Promise.all(
      sent.map(async (nightly) => (await backupPlanValidator.validate({ nightly })).nightly)
    )
    const off = Array(7).fill(false)
    assert.deepEqual(read, [true, true, true, true, true, ...off, null, undefined])
  })

  test('credentials can be numbers or missing, and SQL imports ignore them', async ({ assert }) => {
    assert.deepEqual(await credentialsValidator.validate({ user_password: 1234567890 }), {
      username: '',
      user_password: '1234567890',
    })
    await assert.rejects(() => credentialsValidator.validate({ username: ['shop'] }))
    assert.deepEqual(await importValidator.validate({ username: ['shop'] }), { mode: 'replace' })
  })

  test('a project connection requires the id of a project', async ({ assert }) => {
    for (const id of [undefined, 0, '0', 'shop', '0x1', true]) {
      const form = { user_password: 'Secret-1234', project_id: id }
      const error = await projectConnectionValidator
        .validate(form)
        .catch((thrown: unknown) => thrown)
      assert.instanceOf(error, errors.E_VALIDATION_ERROR)
      assert.include(JSON.stringify(error), '"Choose the project."')
    }
  })
})
