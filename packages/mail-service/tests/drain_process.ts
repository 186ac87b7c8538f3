import { tmpdir } from 'node:os'
import { ServiceDatabase } from '../../service/database.js'
import { Seal } from '../../service/seal.js'
import { startOutgoing } from '../delivery/main.js'
import { MAIL_HOST, MAIL_KEY, testNames } from './ground.js'

/** A process that only brings mail out, to be killed. */
const lease = 1
await startOutgoing({
  database: new ServiceDatabase('mail drain', process.env.MAIL_DATABASE_URL!),
  seal: new Seal('berth mail', MAIL_KEY),
  options: {
    host: MAIL_HOST,
    publicUrl: 'http://mail.test',
    folder: tmpdir(),
    key: MAIL_KEY,
    lease,
    allowPrivate: true,
    names: testNames(),
    port: Number(process.env.SINK_PORT),
    connections: Number(process.env.LINES),
  },
  log() {},
})
process.send?.('ready')
setInterval(() => {}, 1_000)
