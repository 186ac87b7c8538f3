import type { Bench } from './frame.js'
import { measureAccept } from './mail/accept.js'
import { measureDrain } from './mail/drain.js'

/** Benchmark `mail` (docs/benchmarks.md). */
const bench: Bench = {
  name: 'mail',
  async run({ say }) {
    return [...(await measureAccept(say)), ...(await measureDrain(say))]
  },
}

export default bench
