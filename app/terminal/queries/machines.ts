import { assertLocallyManaged, assertHostCan, getHost } from '#hosts/public'
import { connectToHost } from '#hosts/public_effects'
import type { Actor } from '#core/contracts/actor'
import { assertAbility, assertActiveAccount } from '#identity/public'
import { webRoot } from '#guest/public'
import { loadUsableInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import { rootShellCommand } from '#terminal/actions/root_shell'
import env from '#start/env'
import {
  openLocalShell,
  openShellViaSocket,
  type Shell,
  type ShellOptions,
} from '#packages/machine/main'

export type MachineType = 'server_instance' | 'host_instance'

export interface TerminalMachine {
  type: MachineType
  id: number
  label: string
  /** Account in whose audit log the terminal is recorded; null for hosts. */
  accountId: number | null
  /**
   * Address that the specification puts into the client's first message. It gives no access; only
   * the grant does.
   */
  address: { host: string; user: string; port?: number }
  /** Empty: root's login shell. */
  commandIn(folder: string | null): string[]
  shell(options: Pick<ShellOptions, 'cols' | 'rows'> & { folder: string | null }): Promise<Shell>
}

/**
 * Customers may use their own instances; administrators may use instances and hosts.
 * @throws 404, 403, or 409 with the reason
 */
export async function getTerminalMachine(
  actor: Actor,
  type: MachineType,
  id: unknown
): Promise<TerminalMachine> {
  if (actor.audience === 'staff') {
    assertAbility(actor, type === 'host_instance' ? 'hosts.terminal' : 'instances.change')
  } else {
    assertAbility(actor, 'machines.use')
    assertActiveAccount(actor)
  }
  return type === 'host_instance' ? hostOf(actor, id) : instanceOf(actor, id)
}

async function instanceOf(actor: Actor, id: unknown): Promise<TerminalMachine> {
  const instance = await loadUsableInstance(actor, id, 'terminal')
  const shared = instance.instanceType === 'shared'
  const commandIn = (folder: string | null) => rootShellCommand(folder ?? webRoot.path)
  return {
    type: 'server_instance',
    id: instance.id,
    label: instance.name,
    accountId: instance.accountId,
    address: {
      host: instance.ip ?? '',
      user: instance.username ?? 'root',
      ...(!shared && { port: instance.ports.ssh ?? 22 }),
    },
    commandIn,
    async shell({ folder, ...size }) {
      const machine = await connectToActiveInstance(instance)
      return machine.shell({ ...size, argv: commandIn(folder), user: 'root' })
    },
  }
}

async function hostOf(actor: Actor, id: unknown): Promise<TerminalMachine> {
  // Customers get 404 for every host, so that they do not learn which hosts exist.
  const host = await getHost(actor.audience === 'staff' ? id : null)
  assertHostCan('terminal', host, 0)
  return {
    type: 'host_instance',
    id: host.id,
    label: host.name,
    accountId: null,
    address: { host: host.ip, user: host.username ?? 'root', port: host.sshPort },
    commandIn: () => [],
    async shell({ cols, rows }) {
      const options = { cols, rows, user: 'root' } as const
      // For the machine on which Berth itself runs, no SSH is needed.
      if (host.isLocal && !host.sshKey) {
        assertLocallyManaged(host)
        return openOwnShell(options)
      }
      const machine = await connectToHost(host)
      return machine.shell(options)
    },
  }
}

/** Uses the socket of the root helper if one is configured. */
function openOwnShell(options: ShellOptions): Promise<Shell> {
  const shellSocket = env.get('HOST_SHELL')
  return shellSocket ? openShellViaSocket(shellSocket, options) : openLocalShell(options)
}
