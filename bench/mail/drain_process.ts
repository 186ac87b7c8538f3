import { ServiceDatabase } from '#packages/service/database'
import { SecretCipher } from '#packages/service/secret_encryption'
import { startOutgoingMail } from '#packages/mail-service/delivery/main'
import { createSystemResolver } from '#packages/mail-service/delivery/dns'

/** Delivers the mail in the tables of MAIL_DATABASE_URL to the sink on SINK_PORT, until this process is stopped. */
const { MAIL_DATABASE_URL, SINK_PORT, DIRECT, UNSIGNED } = process.env
const key = 'a key for measuring, of more than 32 characters'
const names = {
  ...createSystemResolver(),
  mx: async (domain: string) => [{ exchange: `mx.${domain}`, priority: 1 }],
  // The server at 127.0.0.2 accepts connections, but never responds.
  addresses: async (host: string) => [host.includes('stopped') ? '127.0.0.2' : '127.0.0.1'],
  txt: async () => {
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  },
}
await startOutgoingMail({
  database: new ServiceDatabase('bench', MAIL_DATABASE_URL!, 10),
  seal: new SecretCipher('bench mail', key),
  options: {
    publicUrl: 'http://mail.bench.test',
    folder: '/tmp',
    key,
    // Without a host name, there is no DKIM key. So the messages are not signed.
    ...(!UNSIGNED && { host: 'mail.bench.test' }),
    ...(DIRECT
      ? { names, allowPrivate: true, port: Number(SINK_PORT) }
      : { relayUrl: `smtp://127.0.0.1:${SINK_PORT}` }),
  },
  log(entry) {
    if (process.env.BENCH_LOG) process.stderr.write(`${JSON.stringify(entry)}\n`)
  },
})
process.send?.('ready')
