import type { Bench } from './measurement.js'
import { measureAccept } from './mail/accept.js'
import { measureDrain } from './mail/drain.js'

const bench: Bench = {
  name: 'mail',
  async run({ say }) {
    return [...(await measureAccept(say)), ...(await measureDrain(say))]
  },
}

export default bench
