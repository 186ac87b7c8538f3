/**
 * A second process, which reports, approves or rejects payments of bills at the same time as the
 * tests. Sends back how many decisions succeeded.
 */
import type { Decision } from '#billing/tests/concurrent_decisions'
import { ignite } from '../../../bin/ignite.js'

const app = ignite().createApp('web')
await app.init()
await app.boot()
await app.start(async () => {
  // Imported only now, because the module needs a running application.
  const { runDecisions } = await import('#billing/tests/concurrent_decisions')
  process.on('message', (decisions: Decision[]) => {
    void runDecisions(decisions)
      .then((done) => process.send!({ done }))
      .catch((error: unknown) => process.send!({ error: String(error) }))
  })
  process.send!({ ready: true })
})
