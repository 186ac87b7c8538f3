import { parentPort, workerData } from 'node:worker_threads'
import { ServingThread, type ServingThreadOptions, type SharedMemory } from './serving_thread.js'

/** Entry point of each additional serving thread. The thread runs until it receives `stop` or `leave`. */
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
