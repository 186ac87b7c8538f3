import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from '@japa/runner'
import { Incus } from '../../packages/incus/main.ts'
import { eventually } from '../support/eventually.js'
import { nicWithFreeAddress } from '../support/nic_with_free_address.js'

const socket = process.env.INCUS_SOCKET
const IMAGE_ALIAS = 'berth-base'

/** The timeout is long, because booting takes minutes while other tests keep the processors busy. */
function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await isSo())) throw new Error(`It never happened: ${what}`)
  }, 300_000)
}

test.group('Host | an instance of the base image', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  const incus = Incus.local(socket)
  const names = [
    `host-${crypto.randomUUID().slice(0, 8)}`,
    `host-${crypto.randomUUID().slice(0, 8)}`,
  ]
  const [name, neighbour] = names as [string, string]
  let listener: Server

  const run = async (instance: string, ...argv: string[]) => {
    const { exitCode, stdout, stderr } = await incus.instances.exec(instance, argv, { timeout: 60 })
    return { exitCode, output: stdout.toString().trim(), errors: stderr.toString().trim() }
  }
  /** Returns whether a program inside the instance can open a TCP connection. */
  const reaches = async (address: string, port: number) => {
    const script =
      'const [host, port] = process.argv.slice(1);' +
      'const socket = require("net").connect({ host, port: Number(port), timeout: 3000 });' +
      'socket.on("connect", () => process.exit(0));' +
      'socket.on("timeout", () => process.exit(1));' +
      'socket.on("error", () => process.exit(1))'
    return (await run(name, 'node', '-e', script, address, String(port))).exitCode === 0
  }
  const addressOf = async (instance: string) => {
    const { network } = await incus.instances.state(instance)
    const found = network?.eth0?.addresses.find(({ family }) => family === 'inet')
    return found?.address ?? ''
  }

  group.setup(async () => {
    listener = createServer((connection) => connection.end('reached'))
    await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
    const config = { 'limits.cpu': '1', 'limits.memory': '512MiB' }
    const profile = await incus.profiles.get('default')
    for (const each of names) {
      const root = { ...profile.devices.root!, size: '3GiB' }
      const devices = { root, eth0: await nicWithFreeAddress(incus) }
      const wanted = { name: each, image: IMAGE_ALIAS, config, devices, start: true }
      await (await incus.instances.create(wanted)).wait(120)
    }
    for (const each of names) {
      await until(`${each} has an address`, async () => (await addressOf(each)) !== '')
      await until(`${each} has started`, async () =>
        ['running', 'degraded'].includes((await run(each, 'systemctl', 'is-system-running')).output)
      )
    }
    return async () => {
      for (const each of names) {
        const found = await incus.instances.get(each).catch(() => null)
        if (!found) continue
        if (found.status !== 'Stopped') {
          await (await incus.instances.setState(each, 'stop', { force: true })).wait(120)
        }
        await (await incus.instances.delete(each)).wait(120)
      }
      listener.close()
      await incus.close()
    }
  })

  test('shows its own CPU and memory limits to programs inside', async ({ assert }) => {
    assert.equal((await run(name, 'nproc')).output, '1')
    const total = /^Mem:\s+(\d+)/m.exec((await run(name, 'free', '-b')).output)?.[1]
    assert.equal(Number(total), 512 * 1024 ** 2)
  })

  test('shows changed CPU and memory limits while it runs', async ({ assert }) => {
    const changes = [
      [2, 768],
      [1, 512],
    ] as const
    for (const [cpu, mebibytes] of changes) {
      await incus.instances.setLimits(name, { cpu, memory: mebibytes * 1024 ** 2 })
      await until(`${cpu} processors`, async () => (await run(name, 'nproc')).output === `${cpu}`)
      const total = /^Mem:\s+(\d+)/m.exec((await run(name, 'free', '-b')).output)?.[1]
      assert.equal(Number(total), mebibytes * 1024 ** 2)
    }
  })

  test('cannot use more disk space than its limit', async ({ assert }) => {
    // `fallocate` has the same quota as a write, but does not load the disk for half a minute.
    const file = '/root/too-large'
    const taken = await run(name, 'fallocate', '-l', '4GiB', file)
    assert.notEqual(taken.exitCode, 0)
    assert.match(taken.errors, /Disk quota exceeded|No space left/)
    const fits = await run(name, 'fallocate', '-l', '100MiB', '/root/fits')
    assert.equal(fits.exitCode, 0, fits.errors)
    await run(name, 'rm', '-f', file, '/root/fits')
    // Waits, because btrfs frees the space of a deleted file only a moment later.
    await until('there is room again', async () => {
      const again = await run(name, 'dd', 'if=/dev/zero', 'of=/root/fits', 'bs=1M', 'count=1')
      return again.exitCode === 0
    })
  })

  test('runs SSH and Apache, serves no site yet, and has Node and PM2', async ({ assert }) => {
    const active = await run(name, 'systemctl', 'is-active', 'ssh', 'apache2')
    assert.deepEqual(active.output.split('\n'), ['active', 'active'])
    assert.equal((await run(name, 'systemctl', '--failed', '--quiet', '--no-legend')).output, '')
    await incus.instances.pushFile(name, '/var/www/public_html/index.html', 'it works')
    const asked = await run(name, 'curl', '-s', '-w', '%{http_code}', 'http://127.0.0.1/index.html')
    assert.match(asked.output, /There is no site at this address.*404$/)
    assert.match((await run(name, 'node', '--version')).output, /^v24\./)
    assert.match((await run(name, 'npm', '--version')).output, /^\d+\./)
    assert.match((await run(name, 'pm2', '--version')).output, /6\.\d+\.\d+$/)
    assert.equal((await run(name, 'hostname')).output, name)
  })

  test('has its own host keys and rejects passwords', async ({ assert }) => {
    const key = '/etc/ssh/ssh_host_ed25519_key.pub'
    const keys = await Promise.all(names.map((each) => run(each, 'cat', key)))
    assert.match(keys[0]!.output, /^ssh-ed25519 /)
    assert.notEqual(keys[0]!.output, keys[1]!.output)
    const sshd = (await run(name, 'sshd', '-T')).output
    assert.match(sshd, /^passwordauthentication no$/m)
    assert.match((await run(name, 'cat', '/etc/shadow')).output, /^root:[*!]/m)
    assert.equal((await run(name, 'sudo', '-u', 'berth', 'sudo', '-n', 'id', '-u')).output, '0')
  })

  test('resolves names through the bridge', async ({ assert }) => {
    const { output } = await run(name, 'resolvectl', 'dns', 'eth0')
    const { network } = (await incus.profiles.get('default')).devices.eth0!
    const gateway = (await incus.networks.get(network!)).config['ipv4.address']!.split('/')[0]!
    assert.include(output, gateway)
    assert.isTrue(await reaches(gateway, 53))
  })

  test('reaches neither a neighbouring instance nor the host', async ({ assert }) => {
    const { port } = listener.address() as AddressInfo
    const neighbours = await addressOf(neighbour)
    assert.isTrue(await reaches('127.0.0.1', 80))
    assert.isFalse(await reaches(neighbours, 22))
    // Root in the instance can change routes, but cannot reach a neighbour through the gateway.
    const { network } = (await incus.profiles.get('default')).devices.eth0!
    const gateway = (await incus.networks.get(network!)).config['ipv4.address']!.split('/')[0]!
    await run(name, 'ip', 'route', 'replace', `${neighbours}/32`, 'via', gateway)
    assert.isFalse(await reaches(neighbours, 22))
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address)
    assert.include(addresses, gateway)
    for (const address of addresses) assert.isFalse(await reaches(address, port), address)
    assert.isFalse(await reaches('169.254.169.254', 80))
  })
})
