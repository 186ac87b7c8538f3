import { startMailDelivery } from '#core/mail/outbox_delivery'
import { MAIL_QUEUE, sendMail } from '#core/mail/send_mail'
import { startJobQueue } from '#core/job_queue'
import { startFakeService } from '#mail/tests/fake_service'
import { eventually } from '#tests/support/eventually'
import { freshEmail } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Own mails', () => {
  test('go by the mail service where it has a way out, each once', async ({ assert, cleanup }) => {
    const service = await startFakeService()
    const restoreSettings = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(service.key),
    })
    await startMailDelivery()
    cleanup(async () => {
      await (await startJobQueue()).offWork(MAIL_QUEUE)
      restoreSettings()
      await service.stop()
    })
    const to = freshEmail()
    const until = new Date(Date.now() + 60_000)
    const secret = { until, subject: 'Hello' }
    await sendMail({ to, subject: 'Hello', text: 'Your code is 123456.', secret })
    await eventually(async () =>
      assert.isNotNull((await db.from('outbox_mails').where({ to }))[0].sent_at)
    )
    const [kept] = await db.from('outbox_mails').where({ to })
    // Others' that nobody has fetched yet go with it.
    const own = service.own.filter((mail) => mail.to === to)
    assert.lengthOf(own, 1)
    assert.containSubset(own[0], { key: `outbox-${kept.id}`, secret: true })
    assert.include(own[0].text, '123456')
    assert.notInclude(JSON.stringify(kept), '123456')
  })
})
