import { openTerminal } from './terminal_clients.ts'

/**
 * Arguments: the gateway's port, and the drawing speed in MB/s. Sends a message to the parent process as soon as the
 * flood has started.
 */
const [, , port, speed] = process.argv
const line = await openTerminal(Number(port), 'ssh', Number(speed))
const started = new Promise<void>((resolve) => {
  let bytes = 0
  line.onData = (chunk) => {
    bytes += chunk.length
    if (bytes > 4 * 1024 * 1024) resolve()
  }
})
line.write('yes berth\r')
await started
process.send!('flooding')
