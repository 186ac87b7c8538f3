import { actorOf } from '#identity/public'
import { boostInstance, endBoost } from '#instances/actions/boost_instance'
import { changePower, deleteInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { reconcileHost } from '#instances/schedules/reconcile_instances'
import {
  FILL_MEMORY_FILE_SYSTEMS_COMMAND,
  INSTANCE_OWNED_PATHS,
  CREATE_NETWORK_NAMESPACES_COMMAND,
  CREATE_SUBVOLUME_COMMAND,
  STORE_KEYS_COMMAND,
  LIST_WRITABLE_FILES_COMMAND,
} from '#hosts/containment/attack_programs'
import { listOpenDiscrepancies } from '#hosts/queries/discrepancies'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import type { Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { type Incus, powerOff, powerOn } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import {
  type Attack,
  ATTACK_SCRIPTS,
  attackCommand,
  CREATE_SUBVOLUME_I386_PROGRAM,
} from '#tests/support/attack_scripts'
import { diskQuotaWithoutImage } from '#catalog/public'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const socket = process.env.INCUS_SOCKET
const BYTES_PER_MIB = 1024 ** 2
const MEMORY_BYTES = 256 * BYTES_PER_MIB
/** Process limit of the smallest package. */
const MAX_PROCESSES = 512

test.group('A hostile instance on a real Incus', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let restore: () => Promise<void>
  let host: HostInstance
  let incus: Incus
  let customer: Actor
  let visitor: Visitor
  let hostile: ServerInstance
  let neighbour: ServerInstance
  let calm: Figures

  group.each.timeout(1_800_000)
  group.setup(async () => {
    restore = await disableOtherHosts()
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active' }).save()
    incus = incusClientFor(host)
    const person = await makeCustomer()
    customer = await actorOf(person)
    visitor = await signIn(person)
    hostile = await order()
    neighbour = await order()
    await assertProcessLimitApplies()
    calm = await measure()
    print('calm', calm)
  })
  group.teardown(async () => {
    for (const instance of [hostile, neighbour]) {
      if (!instance) continue
      await stopAttack(instance)
      await runSteps((await deleteInstance(customer, instance.id)).id)
    }
    await restore()
  })
  // If a test failed, its attack may still run. It must not harm the next tests or this machine.
  group.each.setup(() => async (hasFailed: boolean) => {
    if (!hasFailed) return
    await stopAttack(hostile)
    await powerOn(incus, hostile.systemId!)
  })

  async function stopAttack({ systemId }: ServerInstance) {
    if (systemId) await powerOff(incus, systemId, { force: true })
  }

  async function run({ id }: Operation) {
    await runSteps(id)
    const { status, error } = await Operation.findOrFail(id)
    if (status !== 'done') throw new Error(`It is ${status}: ${error}`)
  }

  async function order() {
    const { id } = await createSmallPackage('regular')
    const { instance, operation } = await orderInstance(customer, {
      name: uniqueName('neighbour'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    await run(operation)
    return instance.refresh()
  }

  /**
   * Checks that the kernel limits the instance's processes. Otherwise a fork bomb would stop this machine.
   * @throws if it does not
   */
  async function assertProcessLimitApplies() {
    const { pid } = await stateOf(hostile)
    const groups = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).split('\n')
    const group =
      groups.find((line) => /:pids:/.test(line)) ?? groups.find((line) => /^0::/.test(line))
    if (!group?.includes('/lxc.payload.'))
      throw new Error(`No limit of processes applies: ${group}`)
  }

  interface Figures {
    echo: number[]
    pages: number[]
  }

  /**
   * Measures how long a neighbour instance and the console take to respond, in milliseconds.
   * @throws if one of them does not respond correctly
   */
  async function measure(): Promise<Figures> {
    const figures: Figures = { echo: [], pages: [] }
    const machine = await connectToActiveInstance(neighbour)
    for (let round = 0; round < 9; round++) {
      const echoed = await timed(figures.echo, () => machine.exec(['echo', 'here']))
      if (echoed.stdout.toString() !== 'here\n') throw new Error('The neighbour does not answer')
      if (round % 3) continue
      const page = await timed(figures.pages, () => visitor.page('/server-instance/list'))
      if (page.status !== 200) throw new Error(`The page answers ${page.status}`)
    }
    return figures
  }

  async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const done = await work()
    into.push(performance.now() - began)
    return done
  }

  /** Prints the response times for information only. `./berth bench hostile` is the test of performance. */
  function print(when: string, { echo, pages }: Figures) {
    const worst = (numbers: number[]) => `${Math.round(Math.max(...numbers))} ms`
    process.stdout.write(`    ${when}: echo <= ${worst(echo)}, pages <= ${worst(pages)}\n`)
  }

  async function start(attack: Attack) {
    await incus.instances.exec(hostile.systemId!, attackCommand(attack), { timeout: 60 })
  }

  const stateOf = ({ systemId }: ServerInstance) => incus.instances.state(systemId!)

  /** Restarts the hostile instance through the console, as its owner would. This needs no access to the instance. */
  async function getOut() {
    await run(await changePower(customer, hostile.id, 'restart'))
    assertActive(await hostile.refresh())
    const { code } = await (
      await connectToActiveInstance(hostile)
    ).exec(['true'], { timeout: 60_000 })
    if (code !== 0) throw new Error('It does not answer after its restart')
  }

  function assertActive({ status }: ServerInstance) {
    if (status !== 'active') throw new Error(`It is ${status} after its restart`)
  }

  /** Runs a program as root in the hostile instance. Returns its standard output. */
  async function inside(...argv: string[]) {
    const ran = await incus.instances.exec(hostile.systemId!, argv, { timeout: 600 })
    return ran.stdout.toString().trim()
  }

  test('its root can write to no file of the host, even after a remount', async ({ assert }) => {
    // Root in the instance can remount a read-only mount as writable, but must not change the host's files.
    await inside('mount', '-o', 'remount,bind,rw', '/sys/devices/system/cpu')
    assert.equal(await inside(...LIST_WRITABLE_FILES_COMMAND, INSTANCE_OWNED_PATHS), '')
    const uptime = '/proc/uptime /proc/swaps /sys/devices/system/cpu/online'
    const script = `for file in ${uptime}; do echo 1 >> $file && echo $file; done; grep -c MemTotal /proc/meminfo`
    assert.equal(await inside('sh', '-c', script), '1')
  })

  test('no user can store keys in the kernel', async ({ assert }) => {
    assert.equal(await inside(...STORE_KEYS_COMMAND), '')
  })

  test('cannot create a network namespace, and services that want one start without it', async ({
    assert,
  }) => {
    assert.equal(await inside(...CREATE_NETWORK_NAMESPACES_COMMAND), '')
    // Root of a user namespace can create no network namespace either, but other kinds of namespaces.
    const own = ['unshare', '--user', '--map-root-user']
    assert.equal(await inside(...own, ...CREATE_NETWORK_NAMESPACES_COMMAND), '')
    assert.equal(await inside(...own, '--mount', '--pid', '--fork', 'echo', 'apart'), 'apart')
    const service = ['systemd-run', '--wait', '--pipe', '-p', 'PrivateNetwork=yes']
    assert.equal(await inside(...service, 'echo', 'started'), 'started')
    // Debian starts these services with PrivateNetwork=yes.
    assert.equal(await inside('hostnamectl', 'hostname'), await inside('hostname'))
    assert.match(await inside('localectl', 'status'), /System Locale/)
    assert.equal(await inside('systemctl', '--failed', '--no-legend'), '')
  })

  test('no user can create a subvolume, neither natively nor by 32-bit calls', async ({
    assert,
  }) => {
    const folder = '/var/tmp/subvolumes'
    await inside('install', '-d', '-o', 'www-data', folder)
    assert.equal(await inside(...CREATE_SUBVOLUME_COMMAND, folder), '')
    const asUser = ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups']
    assert.equal(await inside(...asUser, ...CREATE_SUBVOLUME_COMMAND, folder), '')
    if (process.arch === 'x64') {
      await incus.instances.pushFile(
        hostile.systemId!,
        `${folder}/i386`,
        CREATE_SUBVOLUME_I386_PROGRAM,
        {
          mode: '0755',
        }
      )
      const ran = await incus.instances.exec(hostile.systemId!, [`${folder}/i386`], {
        cwd: folder,
      })
      assert.equal(ran.exitCode, 1, 'EPERM')
    }

    // Simulates an instance that started before the filter was set. It can still create subvolumes, and staff see that
    // it needs a restart.
    const { systemId } = hostile
    await incus.instances.patch(systemId!, { config: { 'security.syscalls.deny': '' } })
    const power = async (action: 'stop' | 'start') =>
      (await incus.instances.setState(systemId!, action, { force: action === 'stop' })).wait(300)
    await power('stop')
    await power('start')
    assert.match(await inside(...CREATE_SUBVOLUME_COMMAND, folder), /0x5000940e: created/)
    assert.match(await inside(...STORE_KEYS_COMMAND), /user 20 stored a key/)
    assert.match(await inside(...CREATE_NETWORK_NAMESPACES_COMMAND), /clone3 created/)
    const kinds = async () => {
      await reconcileHost(host)
      return (await listOpenDiscrepancies(host.id)).flatMap((one) =>
        one.system_id === systemId ? [one.kind] : []
      )
    }
    assert.deepEqual(await kinds(), [])
    assert.deepEqual(await kinds(), ['needs_restart'])
    await getOut()
    assert.equal(await inside(...CREATE_SUBVOLUME_COMMAND, folder), '')
    assert.deepEqual(await kinds(), [])
  })

  test('memory file systems cannot fill the memory, and an instance that runs out of memory is reported and restarted', async ({
    assert,
  }) => {
    const asUser = ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups']
    const { pid } = await stateOf(hostile)
    assert.equal(
      await inside(...asUser, ...FILL_MEMORY_FILE_SYSTEMS_COMMAND, String(MEMORY_BYTES)),
      ''
    )
    const disk = 'dd if=/dev/zero of=/tmp/large bs=1M count=300 && rm /tmp/large'
    const { exitCode } = await incus.instances.exec(hostile.systemId!, ['sh', '-c', disk])
    assert.equal(exitCode, 0, '/tmp is on the disk')
    assert.equal((await stateOf(hostile)).pid, pid)

    // Root can mount a memory file system (tmpfs) of any size.
    const fill = 'mount -t tmpfs -o size=2G large /mnt; dd if=/dev/zero of=/mnt/large bs=1M'
    await incus.instances
      .exec(hostile.systemId!, ['sh', '-c', fill], { timeout: 60 })
      .catch(() => {})
    const mails = () =>
      db.from('outbox_mails').where('subject', `${hostile.name} ran out of memory`)
    await eventually(async () => {
      await reconcileHost(host)
      assert.lengthOf(await mails(), 1)
    })
    await eventually(async () => {
      const now = await stateOf(hostile)
      assert.equal(now.status, 'Running')
      assert.notEqual(now.pid, pid)
    })
    await reconcileHost(host)
    await hostile.refresh()
    assert.equal(hostile.status, 'active')
    await eventually(async () => assert.equal(await inside('echo', 'here'), 'here'))
  })

  const bounded: Record<Attack, () => Promise<boolean>> = {
    'fork bomb': async () => (await stateOf(hostile)).processes >= MAX_PROCESSES * 0.9,
    'memory leak': async () => (await stateOf(hostile)).memory.usage >= MEMORY_BYTES * 0.7,
    // Data may fill the disk size of the package. The quota is larger, because it also covers the image.
    'full disk': async () =>
      (await stateOf(hostile)).disk!.root.usage >= diskQuotaWithoutImage(hostile),
  }

  for (const attack of Object.keys(ATTACK_SCRIPTS) as Attack[]) {
    test(`${attack}: neighbours and the console keep working, and a restart by the owner ends it`, async ({
      assert,
    }) => {
      await start(attack)
      await eventually(async () => assert.isTrue(await bounded[attack]()), 600_000)
      const during = await measure()
      print(attack, during)
      assert.lengthOf(during.echo, calm.echo.length)

      // The hostile instance stays within its limits, and the neighbour gets all its allocated resources.
      const { processes, memory, disk } = await stateOf(hostile)
      assert.isAtMost(processes, MAX_PROCESSES)
      assert.isAtMost(memory.usage, MEMORY_BYTES)
      assert.isAtMost(disk!.root.usage, hostile.diskBytes)
      const machine = await connectToActiveInstance(neighbour)
      const written = await machine.exec([
        'dd',
        'if=/dev/zero',
        'of=/tmp/kept',
        'bs=1M',
        'count=20',
      ])
      assert.equal(written.code, 0, written.stderr.toString())
      assert.isBelow((await stateOf(neighbour)).processes, MAX_PROCESSES / 2)

      await getOut()
      await eventually(async () => assert.isBelow((await stateOf(hostile)).processes, 200))
    })
  }

  test('an instance whose disk is full to the last byte can be restarted repeatedly', async ({
    assert,
  }) => {
    for (let round = 1; round <= 2; round++) {
      const machine = await connectToActiveInstance(hostile)
      // Also fills the disk with small files, which use the remaining space for metadata.
      const fill = `cat /dev/zero > /root/filled; sync
        for each in $(seq 4000); do : > /root/small-$each || break; done; sync; cat /dev/zero >> /root/filled; sync`
      await machine.exec(['sudo', 'sh', '-c', fill], { timeout: 600_000 })
      await getOut()
    }
    const machine = await connectToActiveInstance(hostile)
    const { code } = await machine.exec(['sudo', 'test', '-s', '/var/lib/berth-reserve'])
    assert.equal(code, 0)
    await machine.exec([
      'sudo',
      'sh',
      '-c',
      'rm -f /root/filled; find /root -name "small-*" -delete',
    ])
  })

  test('a full disk does not prolong Build Mode, and the disk space added to end it is removed once the data fits', async ({
    assert,
  }) => {
    const { systemId, diskBytes } = hostile
    const machine = await connectToActiveInstance(hostile)
    const inside = async (...argv: string[]) =>
      (await machine.exec(argv, { timeout: 600_000 })).code
    const configNow = async () => (await incus.instances.get(systemId!)).config
    const sizeNow = async () => Number((await incus.instances.get(systemId!)).devices.root.size)
    await inside('sudo', 'rm', '-f', '/root/filled')
    await boostInstance(customer, hostile.id)
    assert.notEqual((await configNow())['limits.memory'], `${MEMORY_BYTES}B`)
    await inside('sudo', 'sh', '-c', 'cat /dev/zero > /root/filled; sync')
    const past = new Date(Date.now() - 1_000)
    await ServerInstance.query().where('id', hostile.id).update({ boosted_until: past })
    await endBoost(hostile.id)
    assert.equal((await configNow())['limits.memory'], `${MEMORY_BYTES}B`)
    assert.isAbove(await sizeNow(), diskBytes)

    await inside('sudo', 'rm', '-f', '/root/filled')
    await ServerInstance.query()
      .where('id', hostile.id)
      .update({ disk_used: 10 * BYTES_PER_MIB })
    await eventually(async () => {
      await reconcileHost(host)
      assert.equal(await sizeNow(), diskBytes)
    })
  })
})
