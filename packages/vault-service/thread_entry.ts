import { parentPort, workerData } from 'node:worker_threads'
import { Serving, type ServiceOptions, type Shared } from './thread.js'

/** A thread beside the first: serves until it is told to stop. */
const { options, shared, port } = workerData as {
  options: ServiceOptions
  shared: Shared
  port: number
}
const serving = new Serving(options, shared, (entry) => parentPort!.postMessage({ log: entry }))
await serving.listen(port)
parentPort!.once('message', (how: 'stop' | 'leave') => {
  void (how === 'leave' ? serving.leave() : serving.close()).then(() => process.exit())
})
parentPort!.postMessage({ ready: true })
