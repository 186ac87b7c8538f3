import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { freshAddress, freshDomain, linkSentTo, publish } from '#mail/tests/fixtures'
import { ServiceDatabase } from '#packages/service/database'
import { startMailProcess, type MailProcess } from '#packages/mail-service/tests/mail_process'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  areScreenshotsEnabled,
  waitForHydration,
  openBrowser,
  openCustomerSite,
  takeScreenshot,
  signInThroughPage,
  waitForToast,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { fetchSiteOnceServed, updateEdge } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { canStartPostfix, type Postfix, startPostfix } from '#tests/support/postfix'
import { openPublicPorts } from '#tests/support/public_ports'
import { overrideSettings } from '#tests/support/override_settings'
import { startSiteMachine, type SiteMachine, virtualHostFields } from '#tests/support/site_machine'
import {
  OFFERED_VERSION,
  serveWordpressRepository,
  blockWordpressOrg,
} from '#tests/support/wordpress_repository'
import {
  installPlugin,
  installTheme,
  publishPost,
  signInToWordpress,
  updateWordpressCore,
} from '#tests/support/wordpress_site'
import { startWorker } from '#tests/support/worker'
import { edgeSettings } from '#edge/settings'
import { Project } from '#projects/public'
import { runProgram } from '../../cli/run_program.js'
import { listOperationsOfSubject } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { dkimVerify } from 'mailauth'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { request } from 'undici'

const socket = process.env.INCUS_SOCKET
const MAIL_HOST = 'mail.berth.test'
const ANN_EMAIL = 'ann@postfix.test'
const BLOG_FOLDER = '/var/www/public_html/blog'
const BLOG_PORT = 8085
const MACHINE_TIMEOUT_MS = 480_000

test.group('WordPress', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  if (!canStartPostfix()) {
    test('skipped without Postfix', () => {}).skip(true, 'needs Postfix')
    return
  }
  if (!edgeSettings()) {
    test('skipped without Caddy', () => {}).skip(true, 'needs a Caddy: set EDGE_ADMIN')
    return
  }

  let machine: SiteMachine
  let service: MailProcess
  let postfix: Postfix
  let folder: string
  let blog: number
  let authority: string

  group.tap((each) =>
    each
      .timeout(1_800_000)
      .skip(() => !machine.reached.debian, "the instance cannot reach Debian's packages")
  )
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-wordpress-'))
    // The relay has no TLS, because the mail service would reject its self-signed certificate.
    postfix = await startPostfix({ domains: ['postfix.test'], users: [ANN_EMAIL], tls: false })
    const database = new ServiceDatabase('berth-mail-test', process.env.MAIL_DATABASE_URL!, 1)
    // Deletes messages of other tests, which this mail service would also send.
    await database.rows('delete from mail.messages')
    await database.close()
    const tls = await certificate(folder)
    authority = tls.authority
    service = await startMailProcess(folder, {
      HOST: '0.0.0.0',
      MAIL_HOST,
      MAIL_TLS_CERT: tls.cert,
      MAIL_TLS_KEY: tls.key,
      SMTP_URL: `smtp://127.0.0.1:${postfix.port}`,
    })
    // Earlier tests in this process may have set the URL of another mail service.
    const restoreSettings = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(process.env.MAIL_CONTROL_KEY!),
    })
    machine = await startSiteMachine(socket)
    const unserve = await openPublicPorts(machine.incus, [service.smtpPort], machine.instance.ip!)
    if (machine.reached.debian) await installBlog()
    return async () => {
      await unserve()
      await machine.close()
      restoreSettings()
      await service.stop()
      await postfix.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  async function installBlog() {
    blog = await machine.works('/project/store', {
      name: 'Blog',
      path: 'blog',
      stack: 'wordpress',
      server_instance_id: machine.instance.id,
      wordpress_user: 'ann',
      wordpress_email: ANN_EMAIL,
    })
    await serveBlog()
    await machine.inside('sh', '-c', `echo '${machine.instance.ip} ${MAIL_HOST}' >> /etc/hosts`)
  }

  /** Creates a sender with a signing domain, and its SMTP credentials. */
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

  const serveBlog = () =>
    machine.works('/project/update', {
      id: blog,
      virtual_host: virtualHostFields({ type: 'php', url_type: 'port', url_port: BLOG_PORT }),
    })
  const site = (path: string) => `http://${machine.instance.privateIp}:${BLOG_PORT}/${path}`
  /** Submits a form with a forged Host header. Links in the mails that it causes must not lead to that host. */
  const post = async (path: string, fields: Record<string, string>) => {
    const { headers, body } = await request(site(path), {
      method: 'POST',
      headers: { host: 'evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
    return { location: String(headers.location ?? ''), text: await body.text() }
  }

  /** Creates a WordPress project with the form. Returns the administrator's password. */
  const order = async (page: Page, { name, path }: { name: string; path: string }) => {
    await visit(page, '/project/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('App Stack').selectOption('wordpress')
    await form.getByLabel(/^Name/).fill(name)
    await form.getByLabel(/^Path/).fill(path)
    await form.getByLabel(/^WordPress User Name/).fill('ann')
    const password = await form.getByLabel(/^WordPress Password/).inputValue()
    await takeScreenshot(page, 'wordpress-form')
    await form.getByRole('button', { name: 'Create project' }).click()
    await waitForToast(page, `Project ${name} is being set up.`)
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    return password
  }
  const giveDomain = async (page: Page, domain: string) => {
    await page.getByRole('tab', { name: 'VH Setup' }).click()
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    const form = page.getByRole('dialog', { name: 'Virtual Host Setup' })
    await form.getByLabel('Server Admin Email').fill('admin@example.com')
    await form.getByLabel('Domain').fill(domain)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'hidden' })
  }
  /** Waits until the page shows that the operation has finished. */
  const rest = (page: Page) =>
    page
      .getByRole('region', { name: /^Setting up / })
      .waitFor({ state: 'hidden', timeout: MACHINE_TIMEOUT_MS })
  const pictures = async (id: number) => {
    if (!areScreenshotsEnabled) return
    for (const width of [390, 1280]) {
      const { context, page } = await openBrowser({ width, scheme: 'dark' })
      await signInByRequest(page, machine.customer)
      await visit(page, `/project/${id}`)
      await page.getByText('Version').first().waitFor()
      await takeScreenshot(page, `wordpress-project-${width}-dark`)
      await context.close()
    }
  }

  /** Makes WordPress send a mail. Returns its error, empty if it was sent. */
  async function mails(more = '') {
    const program = `<?php
      require '${BLOG_FOLDER}/wp-load.php';
      ${more}
      add_action( 'wp_mail_failed', fn ( $error ) => print( $error->get_error_message() ) );
      wp_mail( '${ANN_EMAIL}', 'Hello', 'From a program' );`
    await machine.incus.instances.pushFile(machine.system, '/root/mail.php', program)
    const { output, errors } = await machine.inside('php', '/root/mail.php')
    if (errors) throw new Error(errors)
    return output
  }

  test('is ordered, published, extended and updated in a browser, and works after a reboot', async ({
    assert,
  }) => {
    const system = machine.system
    const path = `journal-${randomUUID().slice(0, 8)}`
    const domain = `${path}.example.com`
    const stopWorker = await startWorker()
    const { context, page } = await openBrowser()
    const visitor = await openCustomerSite(domain, edgeSettings()!)
    const site = visitor.page
    const insecure: string[] = []
    site.on('request', (asked) => asked.url().startsWith('http:') && insecure.push(asked.url()))
    try {
      await blockWordpressOrg(machine)
      await signInThroughPage(page, machine.customer)
      const password = await order(page, { name: `Journal ${path.slice(-8)}`, path })
      await rest(page)
      const project = await Project.findByOrFail({ path })
      assert.isNull(project.wordpressAdmin)
      await giveDomain(page, domain)
      await rest(page)
      await eventually(async () => assert.equal((await fetchSiteOnceServed(domain)).status, 200))
      await eventually(async () => {
        await updateEdge(domain)
        assert.equal(await machine.addressOf(project.id), `https://${domain}`)
      })

      // The installer is complete, so visitors cannot take over the site.
      assert.include(
        (await fetchSiteOnceServed(domain, '/wp-admin/install.php')).text,
        'Already Installed'
      )
      // WordPress's new address takes effect later than Apache's, because PHP checks files for changes only every two
      // seconds.
      await eventually(async () => {
        const { text, status } = await fetchSiteOnceServed(domain, '/wp-json/')
        assert.equal(status, 200)
        assert.equal((JSON.parse(text) as { home: string }).home, `https://${domain}`)
      })
      assert.equal((await fetchSiteOnceServed(domain, '/wp-config.php')).status, 403)
      await site.goto('/')
      await site.getByRole('link', { name: 'Hello world!' }).waitFor()
      await takeScreenshot(site, 'wordpress-site')
      await signInToWordpress(site, 'ann', password)
      const post = await publishPost(site, 'A post of mine')
      assert.equal(post, `https://${domain}/a-post-of-mine/`)
      await site.goto(post)
      const shown = site.locator('figure img')
      assert.equal(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth), 8)
      await takeScreenshot(site, 'wordpress-post')

      await visit(page, `/project/${project.id}`)
      const facts = page.getByRole('region', { name: 'WordPress' })
      await facts.getByText(/^Version \d/).waitFor()
      await facts.getByText('Could not check').waitFor()
      await facts.getByRole('link', { name: `https://${domain}/wp-admin/` }).waitFor()
      await serveWordpressRepository(machine)
      await machine.inside('mariadb', `wordpress${project.id}`, '-e', CLEAR_UPDATE_CHECK_SQL)
      await page.reload()
      await waitForHydration(page)
      await facts.getByText(`Available: WordPress ${OFFERED_VERSION}.`).waitFor()
      await takeScreenshot(page, 'wordpress-project')
      await assertAccessibleInBothColorSchemes(page, 'wordpress-project')
      await pictures(project.id)

      await installPlugin(site)
      await installTheme(site)
      await updateWordpressCore(site)
      const timer = `berth-wordpress-${project.id}`
      assert.equal((await machine.inside('systemctl', 'start', `${timer}.service`)).exitCode, 0)

      const restart = { force: false, timeout: 300 }
      await (await machine.incus.instances.setState(system, 'restart', restart)).wait(600)
      await machine.isUp()
      await eventually(async () => {
        const after = await fetchSiteOnceServed(domain, '/a-post-of-mine/')
        assert.include(after.text, 'The second theme answers.')
        assert.include(after.text, 'The plugin answers.')
        assert.include(after.text, `content="WordPress ${OFFERED_VERSION}"`)
      })
      assert.equal((await machine.inside('systemctl', 'is-active', `${timer}.timer`)).exitCode, 0)
      assert.isEmpty(insecure)
    } finally {
      await visitor.close()
      await context.close()
      await stopWorker()
    }
  })

  test('a site of an earlier release gets a theme and its addresses when it is set up again', async ({
    assert,
  }) => {
    // If root wrote into these folders, PHP could plant links there that lead root's writes elsewhere. Only root can
    // read the guard file.
    const guard = '/etc/berth-guard'
    await machine.inside('sh', '-c', `echo untouched > ${guard} && chmod 0600 ${guard}`)
    const links = [
      '.wp-config-address.berth-new',
      'wp-config.php.berth-new',
      'wp-content/link',
      'wp-config-address.php',
    ]
    const plant = `cd ${BLOG_FOLDER} && for name; do setpriv --reuid=www-data --regid=www-data --clear-groups ln -sfn ${guard} "$name"; done`
    assert.equal((await machine.inside('sh', '-c', plant, 'sh', ...links)).exitCode, 0)
    const strip = `cd ${BLOG_FOLDER} && rm -rf wp-content/themes/* .htaccess && sed -i '/wp-config-address/d' wp-config.php`
    await machine.inside('sh', '-c', strip)
    await serveBlog()
    await eventually(async () => {
      const { body } = await request(site(''))
      assert.include(await body.text(), 'Hello world!')
    })
    assert.equal((await request(site('wp-json/'))).statusCode, 200)
    assert.equal((await request(site('hello-world/'))).statusCode, 200)
    const look = `stat -c '%a %U:%G' ${guard} && cat ${guard} && ! setpriv --reuid=www-data --regid=www-data --clear-groups cat ${guard}`
    const { output, exitCode } = await machine.inside('sh', '-c', look)
    assert.equal(output, '600 root:root\nuntouched')
    assert.equal(exitCode, 0)
    const address = await machine.inside(
      'stat',
      '-c',
      '%F %a %U:%G',
      `${BLOG_FOLDER}/wp-config-address.php`
    )
    assert.equal(address.output, 'regular file 640 berth:www-data')
    const open = `cd ${BLOG_FOLDER} && stat -c '%A %U:%G' wp-content wp-includes/version.php wp-config.php`
    assert.equal(
      (await machine.inside('sh', '-c', open)).output,
      'drwxrwsr-x berth:www-data\n-rw-rw-r-- berth:www-data\n-rw-r----- berth:www-data'
    )
    await machine.inside(
      'sh',
      '-c',
      `cd ${BLOG_FOLDER} && rm -f *.berth-new .*.berth-new wp-content/link`
    )
  })

  test('the shown password works after a failed set-up, and is deleted if none is set', async ({
    assert,
  }) => {
    const { visitor } = machine
    const sent = { stack: 'wordpress', server_instance_id: machine.instance.id }
    const [{ id: newest }] = await listOperationsOfSubject('project', blog)
    await db
      .from('operations')
      .where('id', newest!)
      .update({
        kind: 'project.set_up.wordpress',
        status: 'failed',
        memory: JSON.stringify({ fresh: true }),
      })
    const again = await visitor.post('/project/update', {
      ...sent,
      id: blog,
      name: 'Blog',
      path: 'blog',
      wordpress_user: 'ann',
      wordpress_email: ANN_EMAIL,
    })
    const { operation_id: operation, wordpress_admin: admin } = again.json.data as {
      operation_id: string
      wordpress_admin: { password: string }
    }
    await runSteps(operation)
    await machine.incus.instances.pushFile(
      machine.system,
      '/root/password.php',
      `<?php require '${BLOG_FOLDER}/wp-load.php';
      echo is_wp_error( wp_authenticate( 'ann', '${admin.password}' ) ) ? 'refused' : 'works';`
    )
    assert.equal((await machine.inside('php', '/root/password.php')).output, 'works')
    assert.isNull((await Project.findOrFail(blog)).wordpressAdmin)

    const fill = 'mkdir "$1" && echo kept > "$1/index.php" && chown -R berth: "$1"'
    await machine.inside('sh', '-c', fill, 'sh', '/var/www/public_html/filled')
    const filled = await machine.works('/project/store', {
      ...sent,
      name: 'Filled',
      path: 'filled',
    })
    assert.isNull((await Project.findOrFail(filled)).wordpressAdmin)
    const list = await machine.inside('ls', '-A', '/var/www/public_html/filled')
    assert.equal(list.output, 'index.php')
  })

  test('sends email by SMTP as the guide describes, and the email arrives signed', async ({
    assert,
  }) => {
    const { visitor } = machine
    const sender = await makeSender()
    const arrived = async () =>
      (await postfix.arrived()).filter((letter) => letter.includes(sender.email))
    const plugin = async (key: string) =>
      machine.upload('blog/wp-content', {
        'mu-plugins/berth-mail.php': await pluginOfGuide({
          "'17'": `'${sender.user}'`,
          'mail.example.com': MAIL_HOST,
          '587': String(service.smtpPort),
          YOUR_SECRET_KEY: key,
          'shop@example.com': sender.email,
          'My Shop': 'The Blog',
        }),
      })
    const asksForPassword = () =>
      post('wp-login.php?action=lostpassword', { user_login: 'ann', redirect_to: '' })
    const address = await machine.addressOf(blog)

    await plugin(sender.key)
    const trusted = '/usr/local/share/ca-certificates/mail.crt'
    await machine.inside('sh', '-c', `rm -f ${trusted} && update-ca-certificates`)
    // The instance does not trust the certificate's authority.
    assert.include(await mails(), 'Could not connect to SMTP host')
    await machine.incus.instances.pushFile(machine.system, trusted, authority)
    await machine.inside('update-ca-certificates')
    // On a connection without TLS, the mail service rejects sign-ins from other machines.
    const plain = `add_action( 'phpmailer_init', function ( $mailer ) {
      $mailer->SMTPSecure = '';
      $mailer->SMTPAutoTLS = false;
    }, 20 );`
    assert.include(await mails(plain), 'Could not authenticate')

    await plugin('wrong')
    assert.include(await mails(), 'Could not authenticate')
    const refused = await asksForPassword()
    assert.include(refused.text, 'The email could not be sent')
    assert.isEmpty(await arrived())

    await plugin(sender.key)
    // PHP checks files for changes every two seconds.
    await eventually(async () => {
      const asked = await asksForPassword()
      assert.include(asked.location, 'checkemail=confirm')
    })
    const letter = await eventually(async () => {
      const [one, ...more] = await arrived()
      assert.isDefined(one)
      assert.isEmpty(more)
      return one!
    })
    assert.match(letter, new RegExp(`^From: The Blog <${sender.email}>`, 'm'))
    assert.match(letter, /^Subject: \[Blog\] Password Reset/m)
    assert.include(letter, `${address}/wp-login.php?`)
    assert.notInclude(letter, 'evil.example')
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
      assert.containSubset(json.data, { count: 1, messages: [{ recipient: ANN_EMAIL, subject }] })
    })
  })
})

/** Berth asks wordpress.org for updates at most every ten minutes. This SQL deletes the cached answer. */
const CLEAR_UPDATE_CHECK_SQL =
  "delete from wp_options where option_name like '%berth_checked_updates'"

/** Creates a certificate authority and a certificate for the mail service. */
async function certificate(folder: string) {
  const at = (name: string) => join(folder, name)
  await writeFile(at('names'), `subjectAltName=DNS:${MAIL_HOST}\n`)
  const openssl = async (...argv: string[]) => {
    const { code, output } = await runProgram(['openssl', ...argv])
    if (code !== 0) throw new Error(output)
  }
  const fresh = ['-newkey', 'rsa:2048', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...fresh,
    '-days',
    '2',
    '-subj',
    '/CN=Authority of a test',
    '-keyout',
    at('authority.key'),
    '-out',
    at('authority.crt')
  )
  await openssl(
    'req',
    ...fresh,
    '-subj',
    `/CN=${MAIL_HOST}`,
    '-keyout',
    at('key'),
    '-out',
    at('request')
  )
  await openssl(
    'x509',
    '-req',
    '-in',
    at('request'),
    '-days',
    '2',
    '-extfile',
    at('names'),
    '-CA',
    at('authority.crt'),
    '-CAkey',
    at('authority.key'),
    '-CAcreateserial',
    '-out',
    at('cert')
  )
  const authority = await readFile(at('authority.crt'), 'utf8')
  return { authority, cert: at('cert'), key: at('key') }
}

/** Returns the code of the plugin in the guide, with its example values replaced. */
async function pluginOfGuide(words: Record<string, string>): Promise<string> {
  const guide = await readFile(app.makePath('docs/guides/mail.md'), 'utf8')
  const [, plugin] = /```php\n(.*?)```/s.exec(guide)!
  return Object.entries(words).reduce((text, [example, word]) => {
    if (!text.includes(example)) throw new Error(`The guide's plugin has no ${example}`)
    return text.replace(example, word)
  }, plugin!)
}

/** Restores the CRLF line ends of a message. The mailbox stores it with LF. */
function fromMailbox(letter: string): Buffer {
  return Buffer.from(letter.replaceAll('\n', '\r\n'), 'latin1')
}
