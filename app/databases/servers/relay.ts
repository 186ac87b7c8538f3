import type { Machine } from '#packages/machine/main'
import { Duplex } from 'node:stream'
import { readScript } from '#packages/machine/read_script'

const RELAY_TCP_SCRIPT = readScript(import.meta, 'relay_tcp.bash')

/** After this time, a connection that nobody closed is ended. */
const RELAY_TIMEOUT_MS = 24 * 3_600_000

/**
 * Connects to a server that accepts connections only from its own machine. `target`: path of a Unix socket, or
 * `[host, port]`. If no program listens there, the stream ends without data.
 */
export async function connectViaRelay(
  machine: Machine,
  target: [string] | [string, string]
): Promise<Duplex> {
  // socat is installed with Debian's MariaDB, but not with MongoDB.
  const argv =
    target.length === 1
      ? ['socat', '-', `UNIX-CONNECT:${target[0]}`]
      : ['bash', '-c', RELAY_TCP_SCRIPT, 'berth-relay', ...target]
  const process = await machine.spawn(argv, { user: 'root', cwd: '/', timeout: RELAY_TIMEOUT_MS })
  process.stderr.resume()
  const stream = Duplex.from({ writable: process.stdin, readable: process.stdout })
  // Without a listener, a lost connection to the machine would crash the process.
  stream.on('error', () => {})
  process.exit.catch((error: Error) => stream.destroy(error))
  stream.once('close', () => void process.kill('SIGKILL').catch(() => {}))
  return stream
}
