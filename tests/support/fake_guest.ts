import type HostInstance from '#hosts/models/host_instance'
import { incusClientFor } from '#hosts/incus_connections'
import { makeInstance } from '#guest/tests/instances'
import { commandAsOwner } from '#guest/public_effects'
import type { ServerInstance } from '#instances/public'
import { FakeIncus } from '#packages/incus/fake'
import type { Person } from '#identity/public'
import { createFakeHost, retireHosts, uniqueName } from '#tests/support/hosts'

/** A fake instance. It runs no programs, returns `answer` for each command, and records those of the site owner. */
export class FakeGuest {
  answer: { exitCode: number; stdout?: string; stderr?: string } = { exitCode: 0 }
  /** Recorded commands, oldest first, with their standard input. */
  readonly commandsAsOwner: { argv: string[]; stdin: string }[] = []
  readonly instance: ServerInstance
  readonly #fake: FakeIncus
  readonly #host: HostInstance

  private constructor(fake: FakeIncus, host: HostInstance, instance: ServerInstance) {
    this.#fake = fake
    this.#host = host
    this.instance = instance
    // The shell script that changes to the site owner, and its arguments before the command.
    const script = commandAsOwner([]).argv
    fake.onExec(({ argv, stdin }) => {
      const index = argv.indexOf(script[2])
      if (index > 0) {
        const command = argv.slice(index - 2 + script.length)
        this.commandsAsOwner.push({ argv: command, stdin: stdin.toString() })
      }
      return this.answer
    })
  }

  /** Starts an active instance of a customer, on a fake host of which it is the only instance. */
  static async start(customer: Person): Promise<FakeGuest> {
    const fake = await FakeIncus.start()
    const host = await createFakeHost(fake)
    const name = uniqueName('guest')
    const container = { name, image: 'berth-base', start: true }
    await (await incusClientFor(host).instances.create(container)).wait()
    const instance = await makeInstance(customer, { systemId: name, hostInstanceId: host.id })
    return new FakeGuest(fake, host, instance)
  }

  async stop(): Promise<void> {
    await this.instance.merge({ status: 'deleted', systemId: null }).save()
    await retireHosts(this.#host)
    await this.#fake.stop()
  }
}
