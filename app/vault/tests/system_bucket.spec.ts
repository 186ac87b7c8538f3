import { SERVICE_DOWN_MESSAGE } from '#vault/errors'
import { systemBucketProblem } from '#vault/system_bucket'
import { startTestVaultService } from '#vault/tests/fixtures'
import { eventually } from '#tests/support/eventually'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'

test('an outage of the vault service is noticed after an earlier success, and so is its end', async ({
  assert,
  cleanup,
}) => {
  await startTestVaultService()
  const realNow = Date.now
  let passedMs = 0
  Date.now = () => realNow() + passedMs
  cleanup(() => void (Date.now = realNow))
  /** Checks repeatedly, because a check that takes longer than a second returns the previous result. */
  const becomes = (problem: string | null) =>
    eventually(async () => {
      passedMs += 11_000
      assert.equal(await systemBucketProblem(), problem)
    })

  await becomes(null)
  const restore = overrideSettings({ VAULT_CONTROL_URL: 'http://127.0.0.1:1' })
  cleanup(restore)
  // The previous check is less than 10 s old.
  assert.isNull(await systemBucketProblem())
  await becomes(SERVICE_DOWN_MESSAGE)
  restore()
  await becomes(null)
})
