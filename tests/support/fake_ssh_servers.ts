import type { FakeIncus } from '#packages/incus/fake'
import ssh2 from 'ssh2'

/**
 * SSH servers for the instances of a fake Incus. Each running instance with a forwarded SSH port has one, with the
 * instance's host key and authorized keys. Every command succeeds without an effect.
 */
export class FakeSshServers {
  readonly #fake: FakeIncus
  readonly #servers = new Map<string, ssh2.Server>()
  readonly #clients = new Set<ssh2.Connection>()
  readonly #timer: NodeJS.Timeout

  constructor(fake: FakeIncus) {
    this.#fake = fake
    this.#timer = setInterval(() => this.#look(), 10)
    fake.onExec(({ argv }) => {
      const marker = argv.find((word) => /^berth-[0-9a-f]{18}$/.test(word))
      return marker ? { stderr: `${marker} 1\n`, exitCode: 0 } : { exitCode: 0 }
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const client of this.#clients) client.end()
    await Promise.all(
      [...this.#servers.values()].map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve()))
      )
    )
  }

  #look(): void {
    const wanted = new Map<string, number>()
    for (const [name, { instance }] of this.#fake.state.instances) {
      const listen = instance.devices['port-ssh']?.listen
      if (listen && instance.status === 'Running') wanted.set(name, Number(listen.split(':').pop()))
    }
    for (const [name, server] of this.#servers) {
      if (wanted.has(name)) continue
      server.close()
      this.#servers.delete(name)
    }
    for (const [name, port] of wanted) if (!this.#servers.has(name)) this.#serve(name, port)
  }

  #serve(name: string, port: number): void {
    const files = this.#fake.state.instances.get(name)!.files
    const hostKey = files.get('/etc/ssh/ssh_host_ed25519_key')!.content
    const allowed = files.get('/home/berth/.ssh/authorized_keys')!.content.toString()
    const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
      this.#clients.add(client)
      client.on('close', () => this.#clients.delete(client))
      client.on('error', () => {})
      client.on('authentication', (attempt) => {
        const shown = attempt.method === 'publickey' ? attempt.key.data.toString('base64') : ''
        if (shown && allowed.includes(shown)) attempt.accept()
        else attempt.reject(['publickey'])
      })
      client.on('session', (accept) => {
        accept().on('exec', (acceptExec, _reject, { command }) => {
          const channel = acceptExec()
          const marker = /berth-[0-9a-f]{18}/.exec(command)?.[0]
          if (marker) channel.stderr.write(`${marker} 1\n`)
          channel.exit(0)
          channel.end()
        })
      })
    })
    server.on('error', () => this.#servers.delete(name))
    server.listen(port, '127.0.0.1')
    this.#servers.set(name, server)
  }
}
