import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/**
 * `./berth up` and `./berth run host` run this command at each start, as soon as Incus runs. If the host is already
 * registered, it only updates the host's data.
 */
export default class HostRegisterLocal extends BaseCommand {
  static commandName = 'host:register-local'
  static description = 'Register this machine as a host, or read its resources again'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { registerLocalHost } = await import('#hosts/actions/register_local_host')
    const { host, isNew } = await registerLocalHost()
    const { vcpu, ram, storage } = host.specifications
    this.logger.info(
      `${isNew ? 'Registered' : 'Refreshed'} ${host.name} at ${host.ip}: ` +
        `${vcpu?.value} processors, ${ram?.value} GB memory, ${storage?.value} GB disk`
    )
  }
}
