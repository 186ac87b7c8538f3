import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus, type Instance } from '../../packages/incus/main.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

const CHECK_INTERVAL_MS = 1_000
/** Number of checks without a matching instance after which a port is ignored. */
const MAX_CHECKS = 30
const NETWORK_DEVICES = '/sys/class/net'

/**
 * Prevents bridges from learning hardware addresses. A bridge would learn forged sender addresses, although Incus drops
 * their packets later. One instance could add 100,000 addresses per second, and each uses kernel memory for five
 * minutes.
 */
export async function watchBridgePorts(options: {
  bridge: string
  socket: string
  signal: AbortSignal
  report: LineReporter
}): Promise<void> {
  const { bridge, socket, signal, report } = options
  const incus = Incus.local(socket)
  const checks = new Map<string, number>()
  let reported = ''
  while (!signal.aborted) {
    try {
      const learning = await listLearningPorts(bridge)
      for (const port of checks.keys()) if (!learning.includes(port)) checks.delete(port)
      const open = learning.filter((port) => (checks.get(port) ?? 0) < MAX_CHECKS)
      if (open.length) {
        const addresses = new Map((await incus.instances.list()).flatMap(listHardwareAddresses))
        for (const port of open)
          if (!addresses.has(port)) checks.set(port, (checks.get(port) ?? 0) + 1)
        await fixAddresses(open, addresses)
      }
      reported = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== reported)
        report(`MAC address learning could not be turned off on the bridge: ${message}`)
      reported = message
    }
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}

async function listLearningPorts(bridge: string): Promise<string[]> {
  const ports = await readdir(join(NETWORK_DEVICES, bridge, 'brif')).catch(() => [])
  const learning = await Promise.all(
    ports.map((port) =>
      readFile(join(NETWORK_DEVICES, port, 'brport/learning'), 'utf8').catch(() => '')
    )
  )
  return ports.filter((_, index) => learning[index]!.trim() === '1')
}

/**
 * Adds the instance's hardware address to each bridge port and turns learning off. Skips ports without a known address.
 * @throws the first error, after all ports were tried
 */
async function fixAddresses(ports: string[], addresses: Map<string, string>): Promise<void> {
  const errors: unknown[] = []
  for (const port of ports) {
    const address = addresses.get(port)
    if (!address) continue
    try {
      // Adds the address before learning is turned off. Without an address, the bridge would send packets for the
      // instance to all ports.
      await runForOutput('bridge', ['fdb', 'replace', address, 'dev', port, 'master', 'static'])
      await runForOutput('bridge', ['link', 'set', 'dev', port, 'learning', 'off'])
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length) throw errors[0]
}

/** Each pair: a network device of the host, and the hardware address of the instance that is connected to it. */
function listHardwareAddresses({ config, devices }: Instance): [string, string][] {
  return Object.keys(devices).flatMap((device) => {
    const port = config[`volatile.${device}.host_name`]
    const address = devices[device]!.hwaddr ?? config[`volatile.${device}.hwaddr`]
    return port && address ? [[port, address]] : []
  })
}
