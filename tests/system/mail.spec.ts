import { createServerCertificate } from '#packages/incus/client_certificate'
import { makeSender, mailService } from '#packages/mail-service/tests/service'
import { startSink } from '#packages/mail-service/tests/sink'
import { eventually } from '#tests/support/eventually'
import { openSiteMachine, type SiteMachine } from '#tests/support/sites'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socket = process.env.INCUS_SOCKET
const HOST = 'mail.berth.test'

/** As WordPress's `wp_mail` does it, whose mailer this is, with the plug-ins' fields "SMTP host", "port", "TLS", "user", "password". */
const SEND = `<?php
require 'libphp-phpmailer/autoload.php';
[, $host, $port, $user, $password, $from] = $argv;
$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = $host;
$mail->Port = (int) $port;
$mail->SMTPAuth = true;
$mail->SMTPSecure = 'tls';
$mail->Username = $user;
$mail->Password = $password;
$mail->CharSet = 'UTF-8';
$mail->setFrom($from, 'Ein Laden');
$mail->addAddress('ana@there.test', 'Ana');
$mail->Subject = 'Bestellung über 3 Stück';
$mail->isHTML(true);
$mail->Body = '<p>Größe <b>XL</b></p>';
$mail->AltBody = 'Größe XL';
$mail->addStringAttachment("a,b\\n1,2\\n", 'list.csv');
$mail->send();
echo $mail->getLastMessageID();
`

/** What customers have their sites send: from an instance of theirs, with the keys of their address. */
test.group('Mail | a site on an instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('mail', () => {}).skip(true, 'INCUS_SOCKET names no Incus that is there')
    return
  }
  let machine: SiteMachine

  group.each.timeout(600_000)
  group.setup(async () => {
    machine = await openSiteMachine(socket)
    return () => machine.close()
  })

  test("WordPress's mailer hands in by STARTTLS, and it arrives", async ({ assert, cleanup }) => {
    const packages = ['php-cli', 'php-mbstring', 'libphp-phpmailer']
    const install = ['apt-get', 'install', '-qy', '--no-install-recommends', ...packages]
    const installed = await machine.inside('env', 'DEBIAN_FRONTEND=noninteractive', ...install)
    assert.equal(installed.exitCode, 0, installed.errors)
    const sink = await startSink()
    cleanup(() => sink.stop())
    const folder = await mkdtemp(join(tmpdir(), 'berth-mail-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const { cert, key } = createServerCertificate(HOST)
    const [tlsCert, tlsKey] = [join(folder, 'cert'), join(folder, 'key')]
    await writeFile(tlsCert, cert)
    await writeFile(tlsKey, key)
    const service = await mailService({
      ...{ host: '0.0.0.0', mailHost: HOST, relayUrl: `smtp://127.0.0.1:${sink.port}` },
      ...{ tlsCert, tlsKey },
    })
    cleanup(() => service.stop())
    const sender = await makeSender(service)

    await machine.incus.instances.pushFile(machine.system, '/root/send.php', SEND)
    await machine.incus.instances.pushFile(machine.system, '/root/cert.pem', cert)
    const name = `echo "${machine.instance.ip} ${HOST}" >> /etc/hosts`
    await machine.inside('sh', '-c', name)
    const trusting = ['php', '-d', 'openssl.cafile=/root/cert.pem', '/root/send.php']
    const account = [String(sender.id), sender.secret, sender.email]
    const send = (host: string, secret = account[1]!) =>
      machine.inside(...trusting, host, String(service.smtpPort), account[0]!, secret, account[2]!)

    const wrong = await send(HOST, 'wrong')
    assert.notEqual(wrong.exitCode, 0)
    assert.include(wrong.output + wrong.errors, 'authenticate')
    // By a name that the certificate does not have nothing is shown.
    const unknown = await send(machine.instance.ip!)
    assert.notEqual(unknown.exitCode, 0)
    assert.lengthOf(sink.letters, 0)

    const sent = await send(HOST)
    assert.equal(sent.exitCode, 0, sent.output + sent.errors)
    await eventually(() => assert.lengthOf(sink.letters, 1))
    const [arrived] = sink.letters
    assert.equal(arrived!.to, 'ana@there.test')
    assert.equal(arrived!.messageId, sent.output)
    assert.include(arrived!.raw, 'list.csv')
    const rows = await service.database.rows<{ state: string; subject: string }>(
      'select state, subject from mail.messages where sender_id = $1',
      [sender.id]
    )
    assert.containsSubset(rows, [{ subject: 'Bestellung über 3 Stück' }])
  })
})
