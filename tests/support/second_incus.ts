import { findFreePort } from '#tests/support/find_free_port'
import { Incus } from '#packages/incus/main'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STORAGE_POOL_NAME, removeIncus } from '../../cli/host/incus.js'
import { startPrivateIncus } from '../../cli/host/incus_daemon.js'
import { bridgeName, chooseFreeSubnet, readLocalRoutes } from '../../cli/host/subnet.js'

export interface SecondIncus {
  incus: Incus
  socket: string
  network: string
  stop(): Promise<void>
}

const BYTES_PER_GIB = 1024 ** 3

/**
 * Starts another Incus that listens on a port of 127.0.0.1. It has a bridge, a pool and a default profile, as `incus
 * admin init` creates them, but not Berth's settings.
 * @param prefix prefix length of its subnet
 */
export async function startSecondIncus({
  poolSize = 8 * BYTES_PER_GIB,
  prefix = 24,
} = {}): Promise<SecondIncus> {
  const home = await mkdtemp(join(tmpdir(), 'incus-'))
  // Root in an unprivileged instance is an ordinary user on this machine. That user must be able to traverse this
  // folder.
  await chmod(home, 0o711)
  const socket = await startPrivateIncus(home, () => {})
  const incus = Incus.local(socket)
  const network = bridgeName(home)
  const stop = async () => {
    await incus.close()
    await removeIncus({ home })
    await rm(home, { recursive: true, force: true })
  }
  try {
    await initIncus(incus, { network, home, poolSize, prefix })
  } catch (error) {
    await stop()
    throw error
  }
  return { incus, socket, network, stop }
}

interface SecondIncusOptions {
  network: string
  home: string
  poolSize: number
  prefix: number
}

async function initIncus(
  incus: Incus,
  { network, home, poolSize, prefix }: SecondIncusOptions
): Promise<void> {
  const subnet = chooseFreeSubnet(home, await readLocalRoutes()).replace(/\d+$/, String(prefix))
  await incus.networks.create({
    name: network,
    config: { 'ipv4.address': subnet, 'ipv4.nat': 'true', 'ipv6.address': 'none' },
  })
  await incus.storagePools.create({
    name: STORAGE_POOL_NAME,
    driver: 'btrfs',
    config: { size: `${poolSize}B` },
  })
  const devices = {
    root: { type: 'disk', path: '/', pool: STORAGE_POOL_NAME },
    eth0: { type: 'nic', name: 'eth0', network },
  }
  await incus.profiles.replace('default', { description: '', config: {}, devices })
  await incus.server.configure({ 'core.https_address': `127.0.0.1:${await findFreePort()}` })
}
