import { ServiceDatabase } from '#packages/service/database'
import { SecretCipher } from '#packages/service/secret_encryption'
import { startOutgoingMail } from '#packages/mail-service/delivery/main'
import { createSystemResolver } from '#packages/mail-service/delivery/dns'

/** Brings mail out of the tables of MAIL_DATABASE_URL to the sink at SINK_PORT, until it is ended. */
const { MAIL_DATABASE_URL, SINK_PORT, DIRECT, UNSIGNED } = process.env
const key = 'a key for measuring, of more than 32 characters'
const names = {
  ...createSystemResolver(),
  mx: async (domain: string) => [{ exchange: `mx.${domain}`, priority: 1 }],
  // Destinations of this name take connections and say nothing.
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
    // Without a name of ours there is no key to sign with.
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
