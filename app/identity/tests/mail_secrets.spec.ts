import { deliverDueMails } from '#core/mail/outbox_delivery'
import { REDACTED_BODY_TEXT, redactMailSecrets } from '#core/mail/redact_secrets'
import forgetting from '#core/schedules/redact_mail_secrets'
import { sendMail } from '#core/mail/send_mail'
import { issueCode } from '#identity/actions/one_time_code'
import { loadCodeSentTo, listMailsTo } from '#tests/support/outbox_mails'
import { startMailServer } from '#tests/support/mail_server'
import { freshEmail } from '#tests/support/people'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Emails with a secret', () => {
  const mailed = async () => {
    const email = freshEmail()
    await issueCode({ audience: 'customer', purpose: 'sign_up', email })
    return { email, code: await loadCodeSentTo(email) }
  }
  const kept = async (email: string) => JSON.stringify(await listMailsTo(email))

  test('the outbox keeps the code while it is valid', async ({ assert }) => {
    const { email, code } = await mailed()
    await redactMailSecrets()
    assert.include(await kept(email), code)
    assert.include(await kept(email), '/login?browser=')
  })

  test('code and link are removed after delivery', async ({ assert }) => {
    const [{ email, code }, other] = [await mailed(), await mailed()]
    const [{ id }] = await listMailsTo(email)
    await redactMailSecrets(id)
    assert.notInclude(await kept(email), code)
    assert.notInclude(await kept(email), 'browser=')
    const [left] = await listMailsTo(email)
    assert.deepEqual([left.subject, left.text], ['Your code', REDACTED_BODY_TEXT])
    assert.include(await kept(other.email), other.code)
  })

  test('the mail server gets the whole email, and the row loses the secret', async ({
    assert,
    cleanup,
  }) => {
    const server = await startMailServer()
    cleanup(server.stop)
    env.set('SMTP_URL' as never, new Secret(server.url) as never)
    cleanup(() => {
      env.set('SMTP_URL' as never, undefined as never)
      delete process.env.SMTP_URL
    })
    const { email, code } = await mailed()
    await deliverDueMails(new AbortController().signal)
    assert.notInclude(await kept(email), code)
    assert.notInclude(await kept(email), 'browser=')
    const [left] = await db.from('outbox_mails').where('to', email)
    assert.isNotNull(left.sent_at)
    // Ignores emails that other tests have left in the queue.
    const taken = server.taken.filter((mail) => mail.includes(email))
    assert.lengthOf(taken, 1)
    assert.include(taken[0], `Subject: ${code} is your Berth code`)
  })

  test('expired codes are removed, even if nothing is ever sent', async ({ assert }) => {
    const { email, code } = await mailed()
    const past = new Date(Date.now() - 1_000)
    await db.from('outbox_mails').where('to', email).update({ secret_until: past })
    await forgetting.run(new AbortController().signal)
    assert.notInclude(await kept(email), code)
    assert.notInclude(await kept(email), 'browser=')
  })

  test('other emails stay unchanged', async ({ assert }) => {
    const to = freshEmail()
    await sendMail({ to, subject: 'Your bill', text: 'Nothing is due.' })
    const [{ id }] = await listMailsTo(to)
    await redactMailSecrets(id)
    assert.include(await kept(to), 'Nothing is due.')
  })
})
