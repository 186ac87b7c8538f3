import { FORGOTTEN, forgetSecrets } from '#core/mail/forget'
import { sendMail } from '#core/mail/mail'
import { issueCode } from '#identity/actions/one_time_code'
import { codeSentTo, mailsTo } from '#tests/support/mail'
import { freshEmail } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Mails with a secret', () => {
  const mailed = async () => {
    const email = freshEmail()
    await issueCode({ audience: 'customer', purpose: 'sign_up', email })
    return { email, code: await codeSentTo(email) }
  }
  const kept = async (email: string) => JSON.stringify(await mailsTo(email))

  test('stay as they are while the code is of use, for the outbox', async ({ assert }) => {
    const { email, code } = await mailed()
    await forgetSecrets()
    assert.include(await kept(email), code)
    assert.include(await kept(email), '/login?browser=')
  })

  test('lose code and link once they are sent', async ({ assert }) => {
    const [{ email, code }, other] = [await mailed(), await mailed()]
    const [{ id }] = await mailsTo(email)
    await forgetSecrets(id)
    assert.notInclude(await kept(email), code)
    assert.notInclude(await kept(email), 'browser=')
    const [left] = await mailsTo(email)
    assert.deepEqual([left.subject, left.text], ['Your Berth code', FORGOTTEN])
    assert.include(await kept(other.email), other.code)
  })

  test('lose them once they are dead, also where nothing is ever sent', async ({ assert }) => {
    const { email, code } = await mailed()
    const past = new Date(Date.now() - 1_000)
    await db.from('outbox_mails').where('to', email).update({ secret_until: past })
    await forgetSecrets()
    assert.notInclude(await kept(email), code)
    assert.notInclude(await kept(email), 'browser=')
  })

  test('and others are left as they are', async ({ assert }) => {
    const to = freshEmail()
    await sendMail({ to, subject: 'Your bill', text: 'Nothing is due.' })
    const [{ id }] = await mailsTo(to)
    await forgetSecrets(id)
    assert.include(await kept(to), 'Nothing is due.')
  })
})
