import { parentPort, workerData } from 'node:worker_threads'
import { ServingThread, type ServingThreadOptions, type SharedMemory } from './serving_thread.js'

/** A thread beside the first: serves until it is told to stop. */
const { options, shared, port } = workerData as {
  options: ServingThreadOptions
  shared: SharedMemory
  port: number
}
const serving = new ServingThread(options, shared, (entry) =>
  parentPort!.postMessage({ log: entry })
)
await serving.listen(port)
parentPort!.once('message', (how: 'stop' | 'leave') => {
  void (how === 'leave' ? serving.leave() : serving.close()).then(() => process.exit())
})
parentPort!.postMessage({ ready: true })
