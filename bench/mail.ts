import type { Bench } from './frame.js'
import { measureAccept } from './mail/accept.js'

/** benchmarks.md, row `mail`. */
const bench: Bench = {
  name: 'mail',
  async run({ say }) {
    return measureAccept(say)
  },
}

export default bench
