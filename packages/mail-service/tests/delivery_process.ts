import { tmpdir } from 'node:os'
import { ServiceDatabase } from '../../service/database.js'
import { SecretCipher } from '../../service/secret_encryption.js'
import { startOutgoingMail } from '../delivery/main.js'
import { MAIL_HOST, MAIL_KEY, createTestResolver } from './delivery_fixture.js'

/**
 * This file delivers mail in a separate process, which tests can kill. `lease` is in seconds. It is long enough that a
 * busy machine can renew the lease in time.
 */
const lease = 5
await startOutgoingMail({
  database: new ServiceDatabase('mail drain', process.env.MAIL_DATABASE_URL!),
  seal: new SecretCipher('berth mail', MAIL_KEY),
  options: {
    host: MAIL_HOST,
    publicUrl: 'http://mail.test',
    folder: tmpdir(),
    key: MAIL_KEY,
    lease,
    allowPrivate: true,
    names: createTestResolver(),
    port: Number(process.env.SINK_PORT),
    connections: Number(process.env.LINES),
  },
  log() {},
})
process.send?.('ready')
setInterval(() => {}, 1_000)
