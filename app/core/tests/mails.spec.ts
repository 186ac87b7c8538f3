import { allMailKinds, defineMailKind } from '#core/mail/mail_kinds'
import { sendMail } from '#core/mail/send_mail'
import { listMailsTo } from '#tests/support/outbox_mails'
import { freshEmail, makeStaff, makeVisitor, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const SETTINGS_PATH = '/admin/settings/mail'
const PIXEL_PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const kind = defineMailKind({
  name: 'test.letter',
  label: 'Test',
  subject: 'Hello {name}',
  intro: 'From {name}.',
  placeholders: { name: 'Ann' },
  sample: { title: 'Hello', code: '123456' },
})

test.group('Emails from Berth', (group) => {
  group.each.setup(() => async () => {
    await db.from('mail_words').delete()
    await db.from('mail_settings').delete()
  })

  test('escape values in HTML, and leave them unchanged in plain text', async ({ assert }) => {
    const to = freshEmail()
    const name = '<img src=x onerror=alert(1)> & "Co"'
    await sendMail({
      to,
      kind,
      values: { name },
      title: name,
      paragraphs: [name],
      details: [['Name', name]],
      button: { label: name, href: 'https://example.com/?a=1&b="2"' },
      footnote: name,
    })
    const [mail] = (await listMailsTo(to)) as unknown as Record<string, string>[]
    assert.equal(mail.subject, `Hello ${name}`)
    assert.include(mail.text, name)
    assert.include(mail.text, 'https://example.com/?a=1&b="2"')
    assert.notMatch(mail.html, /<img|<script/)
    assert.include(mail.html, '&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Co&quot;')
    assert.include(mail.html, 'color-scheme: light dark')
    // Links start with APP_URL even if the request named another host.
    assert.include(mail.html, process.env.APP_URL!)
  })

  test('have no line breaks in header fields: those in values are removed, others are rejected', async ({
    assert,
  }) => {
    const to = freshEmail()
    await sendMail({ to, kind, values: { name: 'A\r\nBcc: b@example.com' }, title: 'T' })
    assert.equal((await listMailsTo(to))[0].subject, 'Hello A Bcc: b@example.com')
    const plain = { to, subject: 'a\r\nBcc: b@example.com', text: '' }
    await assert.rejects(() => sendMail(plain))
    await assert.rejects(() => sendMail({ ...plain, to: `${to}\nb@example.com`, subject: 'a' }))
  })

  test('use texts that administrators saved, with known placeholders only', async ({ assert }) => {
    const staff = await signIn(await makeStaff())
    const words = (subject: string, intro = '') =>
      staff.post(`${SETTINGS_PATH}/words`, { kind: kind.name, subject, intro })
    const unknown = await words('Hi {person}')
    assert.equal(unknown.status, 422)
    assert.include(unknown.json.message, '{person}')
    assert.equal((await words('Hi\r\nBcc: b@example.com')).status, 422)
    assert.equal((await words('Hi {name} of {brand}')).status, 200)
    const brand = { brand: 'Quay', footer: 'Quay Ltd', reply_to: 'help@example.com' }
    assert.equal((await staff.post(`${SETTINGS_PATH}/update`, brand)).status, 200)
    const to = freshEmail()
    await sendMail({ to, kind, values: { name: 'Ann' }, title: 'T' })
    const [mail] = (await listMailsTo(to)) as unknown as Record<string, string>[]
    assert.equal(mail.subject, 'Hi Ann of Quay')
    assert.equal(mail.reply_to, 'help@example.com')
    assert.include(mail.text, 'From Ann.')
    assert.include(mail.text, 'Quay Ltd')
    await words('')
    await sendMail({ to, kind, values: { name: 'Ann' }, title: 'T' })
    assert.equal((await listMailsTo(to))[0].subject, 'Hello Ann')
  })

  test('accept only a small PNG as logo', async ({ assert }) => {
    const staff = await signIn(await makeStaff())
    const update = (logo: string | null) =>
      staff.post(`${SETTINGS_PATH}/update`, { brand: 'Quay', footer: '', reply_to: null, logo })
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    assert.equal((await update(svg.toString('base64'))).status, 422)
    assert.equal((await update('A'.repeat(200_000))).status, 422)
    const visitor = await makeVisitor()
    assert.equal((await visitor.get('/mail-logo')).status, 404)
    assert.equal((await update(PIXEL_PNG_BASE64)).status, 200)
    const { headers, status } = await visitor.get('/mail-logo')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'image/png')
    const { json } = await staff.get(`${SETTINGS_PATH}/preview?kind=${kind.name}`)
    assert.include(json.data!.html, '/mail-logo?v=')
  })

  test('have a preview for each kind, and can be sent as a test', async ({ assert }) => {
    const person = await makeStaff()
    const staff = await signIn(person)
    assert.isAbove(allMailKinds().length, 6)
    for (const { name } of allMailKinds()) {
      for (const scheme of ['light', 'dark']) {
        const { json } = await staff.get(`${SETTINGS_PATH}/preview?kind=${name}&scheme=${scheme}`)
        assert.notMatch(String(json.data!.subject), /[{}]/, name)
        assert.notMatch(String(json.data!.text), /[{}]/, name)
        assert.include(json.data!.html, `color-scheme: ${scheme};`)
      }
    }
    await staff.post(`${SETTINGS_PATH}/test`, { kind: kind.name })
    assert.equal((await listMailsTo(person.email))[0].subject, 'Hello Ann')
  })
})
