import { canStartPostfix, startPostfix, type Postfix } from '#tests/support/postfix'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { startTestMailService, type TestService } from './test_service.js'

const PHPMAILER_FOLDER = '/usr/share/php/libphp-phpmailer/src'
const SUBJECT = 'শুভেচ্ছা – Grüße 😀'
const TEXT = 'Total: ৳ 1,500.50\n.a line that begins with a dot'

interface Arrival {
  dkim: boolean
  signed: string[]
  defects: string[]
  header_defects: string[]
  once: number[]
  subject: string
  texts: string[]
  attachments: Record<string, string>
  longest_line: number
}

interface MailProgram {
  name: string
  path: string
  send(mail: TestMail): Promise<unknown>
}

interface TestMail {
  port: number
  user: string
  secret: string
  from: string
  to: string
  attachment: string
}

const smtplib = `import smtplib, ssl, sys
from email.message import EmailMessage
port, user, secret, sender, to, subject, text, attachment = sys.argv[1:]
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = f"Shop <{sender}>", to, subject
mail.set_content(text)
mail.add_alternative(f"<p>{text}</p>", subtype="html")
with open(attachment, "rb") as file:
    mail.add_attachment(file.read(), maintype="application", subtype="pdf", filename="রসিদ.pdf")
with smtplib.SMTP("127.0.0.1", int(port)) as server:
    server.starttls(context=ssl._create_unverified_context())
    server.login(user, secret)
    server.send_message(mail)
`

const phpMailer = `<?php
[, $port, $user, $secret, $sender, $to, $subject, $text, $attachment] = $argv;
foreach (['Exception', 'PHPMailer', 'SMTP'] as $class) require "${PHPMAILER_FOLDER}/$class.php";
$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
[$mail->Host, $mail->Port, $mail->SMTPAuth, $mail->Username, $mail->Password] = ['127.0.0.1', (int) $port, true, $user, $secret];
$mail->SMTPSecure = 'tls';
$mail->SMTPOptions = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];
$mail->CharSet = 'utf-8';
$mail->setFrom($sender, 'Shop');
$mail->addAddress($to);
[$mail->Subject, $mail->Body] = [$subject, $text];
$mail->addAttachment($attachment, 'রসিদ.pdf');
$mail->send();
`

const argumentsOf = ({ port, user, secret, from, to, attachment }: TestMail) => {
  return [String(port), user, secret, from, to, SUBJECT, TEXT, attachment]
}

const programs: MailProgram[] = [
  {
    name: 'swaks',
    path: '/usr/bin/swaks',
    send: ({ port, user, secret, from, to, attachment }) =>
      run(
        '/usr/bin/swaks',
        [
          ['--server', `127.0.0.1:${port}`, '--auth', 'LOGIN', '--silent', '2'],
          ['--auth-user', user, '--auth-password', secret, '--from', from, '--to', to],
          ['--header', `Subject: ${encodedWord(SUBJECT)}`],
          ['--attach-type', 'text/plain; charset=utf-8', '--attach-body', TEXT],
          ['--attach-type', 'application/pdf', '--attach-name', 'receipt.pdf'],
          ['--attach', `@${attachment}`],
        ].flat()
      ),
  },
  {
    name: 'Python, smtplib',
    path: '/usr/bin/python3',
    send: (mail) => run('/usr/bin/python3', ['-c', smtplib, ...argumentsOf(mail)]),
  },
  {
    name: 'PHPMailer',
    path: `${PHPMAILER_FOLDER}/PHPMailer.php`,
    send: (mail) => run('/usr/bin/php', ['--', ...argumentsOf(mail)], phpMailer),
  },
  {
    name: 'nodemailer',
    path: '/',
    send: ({ port, user, secret, from, to, attachment }) =>
      createTransport({
        host: '127.0.0.1',
        port,
        auth: { user, pass: secret },
        tls: { rejectUnauthorized: false },
      }).sendMail({
        from: `Shop <${from}>`,
        to,
        subject: SUBJECT,
        text: TEXT,
        html: `<p>${TEXT}</p>`,
        attachments: [{ path: attachment, filename: 'রসিদ.pdf' }],
      }),
  },
  {
    name: 'curl',
    path: '/usr/bin/curl',
    send: ({ port, user, secret, from, to, attachment }) =>
      run(
        '/usr/bin/curl',
        [
          ['--silent', '--show-error', '--url', `smtp://127.0.0.1:${port}`],
          ['--ssl-reqd', '--insecure', '--user', `${user}:${secret}`],
          ['--mail-from', from, '--mail-rcpt', to],
          ['-H', `From: Shop <${from}>`, '-H', `To: ${to}`],
          ['-H', `Subject: ${encodedWord(SUBJECT)}`],
          ['-F', `=${TEXT};type=text/plain; charset=utf-8;encoder=quoted-printable`],
          ['-F', `file=@${attachment};type=application/pdf;filename=receipt.pdf;encoder=base64`],
        ].flat()
      ),
  },
]

/** Encodes text as RFC 2047 does. */
function encodedWord(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
}

/** Runs a program and returns its output. Rejects unless its exit code is 0. */
async function run(path: string, argv: string[], input = ''): Promise<string> {
  const child = spawn(path, argv, { env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stdin.end(input)
  const exitCode = await new Promise((done) => child.once('close', done))
  if (exitCode !== 0) throw new Error(`${path}: ${printed}`)
  return printed
}

test.group('Mail from other programs', (group) => {
  if (!canStartPostfix()) {
    test('other programs can send mail', () => {}).skip(
      true,
      'Postfix is not installed, or this is not root'
    )
    return
  }
  if (!existsSync('/usr/bin/dkimverify')) {
    test('other programs can send mail', () => {}).skip(true, 'dkimpy is not installed')
    return
  }
  let postfix: Postfix
  let service: TestService
  let folder: string
  const records: Record<string, string> = {}
  const id = randomInt(1_000_000_000, 2_000_000_000)
  const domain = `shop-${id}.test`
  const from = `shop@${domain}`
  const pdf = randomBytes(40_000)

  group.each.timeout(300_000)
  group.setup(async () => {
    const users = programs.map((_, index) => `user${index}@postfix.test`)
    /** Makes Postfix reject mistakes in messages that other servers often accept. */
    const settings = {
      smtpd_helo_required: 'yes',
      strict_rfc821_envelopes: 'yes',
      strict_7bit_headers: 'yes',
      smtpd_forbid_bare_newline: 'yes',
      smtpd_data_restrictions: 'reject_unauth_pipelining',
      smtpd_sender_restrictions: 'reject_non_fqdn_sender',
    }
    postfix = await startPostfix({ domains: ['postfix.test'], users, tls: false, settings })
    service = await startTestMailService({ relayUrl: `smtp://127.0.0.1:${postfix.port}` })
    folder = await mkdtemp(join(tmpdir(), 'berth-programs-'))
    await writeFile(join(folder, 'receipt.pdf'), pdf)
    const info = await service.control.call('makeDomain', { id, accountId: id, domain })
    for (const record of info.records) records[record.name] = record.value
    await service.control.call('changeDomain', { id, state: 'active' })
    return async () => {
      await service.database.rows('delete from mail.domains where id = $1', [id])
      await service.stop()
      await postfix.stop()
      await rm(folder, { recursive: true })
    }
  })

  for (const [index, program] of programs.entries()) {
    const isMissing = !existsSync(program.path)
    test(program.name, async ({ assert }) => {
      const sender = { id: id + index, accountId: id, email: from }
      const { secret } = await service.control.call('makeSender', sender)
      const to = `user${index}@postfix.test`
      const attachment = join(folder, 'receipt.pdf')
      const mail = { port: service.smtpPort, user: String(id), secret, from, to, attachment }
      await program.send(mail)
      const arrived = await eventually(async () => {
        const mails = (await postfix.arrived()).filter((raw) => raw.includes(`To: ${to}`))
        assert.lengthOf(mails, 1)
        return mails
      })
      const check = join(import.meta.dirname, 'check_arrivals.py')
      const given = JSON.stringify({ records, mails: arrived })
      const [found] = JSON.parse(await run('/usr/bin/python3', [check], given)) as Arrival[]
      assert.isTrue(found!.dkim)
      assert.include(found!.signed, domain)
      assert.deepEqual([found!.defects, found!.header_defects], [[], []])
      assert.deepEqual(found!.once, [1, 1, 1, 1, 1])
      assert.equal(found!.subject, SUBJECT)
      assert.equal(found!.texts[0]!.replaceAll('\r\n', '\n'), TEXT)
      const sums = Object.values(found!.attachments)
      assert.deepEqual(sums, [createHash('sha256').update(pdf).digest('hex')])
      assert.isBelow(found!.longest_line, 1_000)
    }).skip(isMissing, `needs ${program.path}, for which the system has no package`)
  }
})
