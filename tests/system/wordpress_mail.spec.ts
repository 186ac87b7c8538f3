import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { freshAddress, freshDomain, linkSentTo, publish } from '#mail/tests/fixtures'
import { ServiceDatabase } from '#packages/service/database'
import { mailProcess, type MailProcess } from '#packages/mail-service/tests/process'
import { eventually } from '#tests/support/eventually'
import { hasPostfix, type Postfix, startPostfix } from '#tests/support/postfix'
import { servePublicly } from '#tests/support/public_services'
import { openSiteMachine, type SiteMachine } from '#tests/support/sites'
import { run } from '../../cli/run.js'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { dkimVerify } from 'mailauth'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socket = process.env.INCUS_SOCKET
const MAIL_HOST = 'mail.berth.test'
const ANN = 'ann@postfix.test'
const BLOG = '/var/www/public_html/blog'

test.group('WordPress on an instance sends by SMTP', (group) => {
  if (!socket || !existsSync(socket)) {
    test('mail', () => {}).skip(true, 'INCUS_SOCKET names no Incus that is there')
    return
  }
  if (!hasPostfix()) {
    test('mail', () => {}).skip(true, 'Postfix is not there')
    return
  }

  let machine: SiteMachine
  let service: MailProcess
  let postfix: Postfix
  let folder: string
  /** PEM of the authority that vouches for the mail service. */
  let authority: string

  group.tap((each) =>
    each
      .timeout(600_000)
      .skip(() => !machine.reached.debian, "the instance cannot reach Debian's packages")
  )
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-wordpress-'))
    // A relay's certificate is verified, and nobody vouches for the one that it makes.
    postfix = await startPostfix({ domains: ['postfix.test'], users: [ANN], tls: false })
    const database = new ServiceDatabase('berth-mail-test', process.env.MAIL_DATABASE_URL!, 1)
    // What other tests left would go out by this one.
    await database.rows('delete from mail.messages')
    await database.close()
    const tls = await certificate(folder)
    authority = tls.authority
    service = await mailProcess(folder, {
      ...{ HOST: '0.0.0.0', MAIL_HOST, MAIL_TLS_CERT: tls.cert, MAIL_TLS_KEY: tls.key },
      SMTP_URL: `smtp://127.0.0.1:${postfix.port}`,
    })
    machine = await openSiteMachine(socket)
    const unserve = await servePublicly(machine.incus, [service.smtpPort], machine.instance.ip!)
    if (machine.reached.debian) await installBlog()
    return async () => {
      await unserve()
      await machine.close()
      await service.stop()
      await postfix.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  /** As its owner does, on the page that WordPress has for it. */
  async function installBlog() {
    address = await machine.addressOf(await machine.store('wordpress', 'blog'))
    const person = { user_name: 'ann', admin_email: ANN, weblog_title: 'Blog', language: '' }
    const password = randomUUID()
    const secret = { admin_password: password, admin_password2: password, pw_weak: 'on' }
    const installed = await post('wp-admin/install.php?step=2', { ...person, ...secret })
    const page = await installed.text()
    if (!page.includes('wp-login.php')) throw new Error(page)
    await machine.inside('sh', '-c', `echo '${machine.instance.ip} ${MAIL_HOST}' >> /etc/hosts`)
  }

  /** An address at a domain that signs, with what programs sign in with. */
  async function makeSender() {
    const { visitor } = machine
    const domain = freshDomain()
    await visitor.post('/email/domain/store', { domain })
    const { id: domainId } = await MailDomain.findByOrFail({ domain })
    const info = await service.control.call('domain', { id: domainId })
    publish(info)
    const checked = await visitor.post('/email/domain/check', { id: domainId })
    if (checked.json.data!.status !== 'active') throw new Error(checked.text)
    const email = freshAddress(domain)
    await visitor.post('/email/store', { email })
    const sender = await Sender.findByOrFail({ email })
    if (sender.status === 'pending') {
      await visitor.post('/email/verify', { token: await linkSentTo(email) })
    }
    const { data } = (await visitor.post('/email/secret', { id: sender.id })).json
    const record = info.records.find(({ purpose }) => purpose === 'dkim')!
    const signIn = { user: String(data!.access_key_id), key: String(data!.secret_key) }
    return { id: sender.id, email, domain, ...signIn, record }
  }

  let address: string
  const site = (path: string) => `${address}/${path}`
  const post = (path: string, fields: Record<string, string>) =>
    fetch(site(path), { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })

  /** What WordPress says of a mail: nothing where it is sent. */
  async function mails(more = '') {
    const program = `<?php
      require '${BLOG}/wp-load.php';
      ${more}
      add_action( 'wp_mail_failed', fn ( $error ) => print( $error->get_error_message() ) );
      wp_mail( '${ANN}', 'Hello', 'From a program' );`
    await machine.incus.instances.pushFile(machine.system, '/root/mail.php', program)
    const { output, errors } = await machine.inside('php', '/root/mail.php')
    if (errors) throw new Error(errors)
    return output
  }

  test('as the guide says, and what it sends arrives signed', async ({ assert }) => {
    const { visitor } = machine
    const sender = await makeSender()
    const arrived = async () =>
      (await postfix.arrived()).filter((letter) => letter.includes(sender.email))
    const plugin = async (key: string) =>
      machine.upload('blog/wp-content', {
        'mu-plugins/berth-mail.php': await pluginOfGuide({
          ...{ "'17'": `'${sender.user}'`, 'mail.example.com': MAIL_HOST },
          '587': String(service.smtpPort),
          ...{ YOUR_SECRET_KEY: key, 'shop@example.com': sender.email, 'My Shop': 'The Blog' },
        }),
      })
    const asksForPassword = () =>
      post('wp-login.php?action=lostpassword', { user_login: 'ann', redirect_to: '' })

    await plugin(sender.key)
    const trusted = '/usr/local/share/ca-certificates/mail.crt'
    await machine.inside('sh', '-c', `rm -f ${trusted} && update-ca-certificates`)
    // A certificate that nobody on the instance vouches for.
    assert.include(await mails(), 'Could not connect to SMTP host')
    await machine.incus.instances.pushFile(machine.system, trusted, authority)
    await machine.inside('update-ca-certificates')
    // Without TLS nobody elsewhere signs in.
    const plain = `add_action( 'phpmailer_init', function ( $mailer ) {
      $mailer->SMTPSecure = '';
      $mailer->SMTPAutoTLS = false;
    }, 20 );`
    assert.include(await mails(plain), 'Could not authenticate')

    await plugin('wrong')
    assert.include(await mails(), 'Could not authenticate')
    const refused = await asksForPassword()
    assert.include(await refused.text(), 'The email could not be sent')
    assert.isEmpty(await arrived())

    await plugin(sender.key)
    // PHP looks at a changed file every two seconds.
    await eventually(async () => {
      const asked = await asksForPassword()
      assert.include(asked.headers.get('location') ?? '', 'checkemail=confirm')
    })
    const letter = await eventually(async () => {
      const [one, ...more] = await arrived()
      assert.isDefined(one)
      assert.isEmpty(more)
      return one!
    })
    assert.match(letter, new RegExp(`^From: The Blog <${sender.email}>`, 'm'))
    assert.match(letter, /^Subject: \[Blog\] Password Reset/m)
    assert.include(letter, 'action=rp')
    const { results } = await dkimVerify(fromMailbox(letter), {
      resolver: (async (name: string) => {
        if (name !== sender.record.name) throw Object.assign(new Error(), { code: 'ENOTFOUND' })
        return [[sender.record.value]]
      }) as never,
    })
    assert.deepEqual(
      results.map(({ signingDomain, status }) => [signingDomain, status.result]),
      [[sender.domain, 'pass']]
    )

    await eventually(async () => {
      const { json } = await visitor.get(`/email/${sender.id}/messages?state=delivered`)
      const subject = '[Blog] Password Reset'
      assert.containSubset(json.data, { count: 1, messages: [{ recipient: ANN, subject }] })
    })
  })
})

/** An authority and what it says of the mail service's host. */
async function certificate(folder: string) {
  const at = (name: string) => join(folder, name)
  await writeFile(at('names'), `subjectAltName=DNS:${MAIL_HOST}\n`)
  const openssl = async (...argv: string[]) => {
    const { code, output } = await run(['openssl', ...argv])
    if (code !== 0) throw new Error(output)
  }
  const fresh = ['-newkey', 'rsa:2048', '-nodes']
  await openssl(
    ...['req', '-x509', ...fresh, '-days', '2', '-subj', '/CN=Authority of a test'],
    ...['-keyout', at('authority.key'), '-out', at('authority.crt')]
  )
  await openssl(
    ...['req', ...fresh, '-subj', `/CN=${MAIL_HOST}`, '-keyout', at('key'), '-out', at('request')]
  )
  await openssl(
    ...['x509', '-req', '-in', at('request'), '-days', '2', '-extfile', at('names')],
    ...['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-CAcreateserial'],
    ...['-out', at('cert')]
  )
  const authority = await readFile(at('authority.crt'), 'utf8')
  return { authority, cert: at('cert'), key: at('key') }
}

/** The plugin that the guide has, with other words in place of its examples. */
async function pluginOfGuide(words: Record<string, string>): Promise<string> {
  const guide = await readFile(app.makePath('docs/guides/mail.md'), 'utf8')
  const [, plugin] = /```php\n(.*?)```/s.exec(guide)!
  return Object.entries(words).reduce((text, [example, word]) => {
    if (!text.includes(example)) throw new Error(`The guide's plugin has no ${example}`)
    return text.replace(example, word)
  }, plugin!)
}

/** A letter as it went over the line, from a mailbox whose lines end with LF. */
function fromMailbox(letter: string): Buffer {
  return Buffer.from(letter.replaceAll('\n', '\r\n'), 'latin1')
}
