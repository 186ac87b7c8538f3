/**
 * Makes decisions about bills in a process of its own, beside the one of the tests: all that it is sent at
 * once. Tells how many had an effect.
 */
import type { Decision } from '#billing/tests/decider'
import { ignite } from '../../../bin/ignite.js'

const app = ignite().createApp('web')
await app.init()
await app.boot()
await app.start(async () => {
  // What it needs of the application is there only now.
  const { decideAll } = await import('#billing/tests/decider')
  process.on('message', (decisions: Decision[]) => {
    void decideAll(decisions)
      .then((done) => process.send!({ done }))
      .catch((error: unknown) => process.send!({ error: String(error) }))
  })
  process.send!({ ready: true })
})
