import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** Starts an SMTP server that accepts every email. Returns its address and the received emails. */
export async function startMailServer() {
  const taken: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      void text(stream)
        .then((mail) => void taken.push(mail))
        .then(() => done(), done)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const stop = () => new Promise<void>((done) => server.close(done))
  return { url: `smtp://127.0.0.1:${port}`, taken, stop }
}
