import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import { runProgram } from '../../cli/run_program.js'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const POSTFIX_PATH = '/usr/sbin/postfix'

export function canStartPostfix(): boolean {
  return existsSync(POSTFIX_PATH) && process.getuid?.() === 0
}

export interface Postfix {
  port: number
  /** Folder of this Postfix: the settings are in `etc`, queued emails in `queue`. */
  folder: string
  /** Returns all delivered emails as raw text. */
  arrived(): Promise<string[]>
  log(): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts Postfix. It delivers mail for the `users` of `domains`. For other addresses, it rejects `refused`, defers
 * `deferred`, and accepts `bounced` but later sends a bounce to the port `reports`.
 */
export async function startPostfix(options: {
  domains: string[]
  users: string[]
  refused?: string[]
  deferred?: string[]
  bounced?: string[]
  reports?: number
  tls?: boolean
  settings?: Record<string, string>
}): Promise<Postfix> {
  const { domains, users, refused = [], deferred = [], bounced = [], reports, tls = true } = options
  const folder = await mkdtemp(join(tmpdir(), 'berth-postfix-'))
  await chmod(folder, 0o755)
  const at = (...names: string[]) => join(folder, ...names)
  const port = await findFreePort()
  for (const name of ['etc', 'queue', 'data', 'boxes']) await mkdir(at(name))
  await chmod(at('boxes'), 0o777)
  await runProgram(['chown', 'postfix', at('data')])
  if (tls) {
    const request = ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
    const names = ['-subj', '/CN=mx.postfix.test', '-keyout', at('etc/key'), '-out', at('etc/cert')]
    await runProgram([...request, ...names])
  }
  const settings = {
    compatibility_level: '3.6',
    queue_directory: at('queue'),
    data_directory: at('data'),
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: at('log'),
    maillog_file_prefixes: folder,
    daemon_directory: '/usr/lib/postfix/sbin',
    command_directory: '/usr/sbin',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    myhostname: 'mx.postfix.test',
    mydestination: '',
    mynetworks: '',
    alias_maps: '',
    virtual_mailbox_domains: domains.join(' '),
    virtual_mailbox_base: at('boxes'),
    virtual_mailbox_maps: `hash:${at('etc/users')}`,
    virtual_uid_maps: 'static:65534',
    virtual_gid_maps: 'static:65534',
    virtual_minimum_uid: '1',
    smtpd_relay_restrictions: 'reject_unauth_destination',
    transport_maps: `hash:${at('etc/transport')}`,
    smtpd_recipient_restrictions: `check_recipient_access hash:${at('etc/access')}, reject_unauth_destination`,
    smtpd_peername_lookup: 'no',
    smtp_dns_support_level: 'disabled',
    minimal_backoff_time: '1s',
    ...(reports && { relayhost: `[127.0.0.1]:${reports}`, smtp_tls_security_level: 'none' }),
    ...(tls && {
      smtpd_tls_security_level: 'may',
      smtpd_tls_cert_file: at('etc/cert'),
      smtpd_tls_key_file: at('etc/key'),
    }),
    ...options.settings,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  await writeFile(at('etc/main.cf'), `${lines.join('\n')}\n`)
  await writeFile(at('etc/master.cf'), masterConfig(port, at('etc/gone')))
  const known = [...users, ...bounced].map((name) => [name, `${name}/`])
  await writeFile(at('etc/users'), known.map((entry) => entry.join(' ')).join('\n') + '\n')
  const access = [
    ...refused.map((name) => `${name} 550 5.1.1 No such user here`),
    ...deferred.map((name) => `${name} 451 4.7.1 Come back later`),
  ]
  await writeFile(at('etc/access'), access.join('\n') + '\n')
  const transports = bounced.map((name) => `${name} gone:`)
  await writeFile(at('etc/transport'), transports.join('\n') + '\n')
  // With exit code 67 (EX_NOUSER of sysexits), Postfix first accepts a message and then finds that the mailbox does
  // not exist.
  await writeFile(at('etc/gone'), '#!/bin/sh\nexit 67\n', { mode: 0o755 })
  for (const name of ['users', 'access', 'transport'])
    await runProgram(['postmap', '-c', at('etc'), at('etc', name)])
  const started = await runProgram([POSTFIX_PATH, '-c', at('etc'), 'start'])
  const log = () => readFile(at('log'), 'utf8').catch(() => '')
  try {
    await eventually(() => waitForGreeting(port))
  } catch (error) {
    throw new Error(`Postfix does not answer: ${started.output}\n${await log()}`, { cause: error })
  }
  return {
    port,
    folder,
    log,
    async arrived() {
      const found: string[] = []
      for (const box of await readdir(at('boxes'))) {
        const letters = await readdir(at('boxes', box, 'new')).catch(() => [])
        for (const name of letters)
          found.push(await readFile(at('boxes', box, 'new', name), 'latin1'))
      }
      return found
    },
    async stop() {
      await runProgram([POSTFIX_PATH, '-c', at('etc'), 'stop'])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function waitForGreeting(port: number): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      done()
    })
    socket.once('error', failed)
  })
}

/** Returns Postfix's `master.cf` with only the needed services, none of them in a chroot. */
function masterConfig(port: number, gone: string): string {
  return [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 1 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    'proxywrite unix - - n - 1 proxymap',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'discard unix - - n - - discard',
    'local unix - n n - - local',
    'virtual unix - n n - - virtual',
    'lmtp unix - - n - - lmtp',
    `gone unix - n n - - pipe flags=Rq user=nobody argv=${gone}`,
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
    '',
  ].join('\n')
}
