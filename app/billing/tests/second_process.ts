/**
 * Decides on bills in a second process, concurrently with the tests' process. Reports how many decisions had
 * an effect.
 */
import type { Decision } from '#billing/tests/decider'
import { ignite } from '../../../bin/ignite.js'

const app = ignite().createApp('web')
await app.init()
await app.boot()
await app.start(async () => {
  // Imported only after boot, because it needs the application.
  const { decideAll } = await import('#billing/tests/decider')
  process.on('message', (decisions: Decision[]) => {
    void decideAll(decisions)
      .then((done) => process.send!({ done }))
      .catch((error: unknown) => process.send!({ error: String(error) }))
  })
  process.send!({ ready: true })
})
