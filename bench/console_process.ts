import { ignite } from '../bin/ignite.js'

/** A task that the parent process sends. */
interface Asked {
  id: number
  what: string
  given: Record<string, unknown>
}

/**
 * Starts the console's application in a separate process of a benchmark. Returns a function to which the tasks are
 * passed, by name. It runs those that the parent process requests. Requests that arrive before it is called wait.
 */
export async function startConsoleProcess() {
  const ready = Promise.withResolvers<(asked: Asked) => void>()
  process.on('message', (message: Partial<Asked>) => {
    if (typeof message.id === 'number') void ready.promise.then((take) => take(message as Asked))
  })
  const app = ignite().createApp('web')
  await app.init()
  await app.boot()
  await app.start(() => {})
  return (answers: Record<string, (given: never) => Promise<unknown>>) =>
    ready.resolve(({ id, what, given }) => {
      answers[what](given as never).then(
        (result) => process.send!({ id, result: result ?? null }),
        (error: Error) => process.send!({ id, error: error.stack ?? error.message })
      )
    })
}
