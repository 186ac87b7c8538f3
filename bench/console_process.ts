import { ignite } from '../bin/ignite.js'

/** A task that the parent process sends. */
interface Asked {
  id: number
  what: string
  given: Record<string, unknown>
}

/**
 * Starts the console's application in this process, which a benchmark has started. Call the returned function with the
 * tasks by name. It then runs the task that each message of the parent process requests. Messages that arrive earlier
 * wait.
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
