import { ensureBuildModeWatchdog } from '#hosts/watchdog/build_mode_watchdog'
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { gatherSamples, type IncusForSamples } from '#metrics/gather_samples'
import { measureHosts } from '#metrics/measure_hosts'
import { saveSamples } from '#metrics/samples'
import { eventually } from '#tests/support/eventually'
import { createHost, retireHosts, createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, makeVisitor, signIn } from '#tests/support/people'
import type { InstanceMetrics, InstanceState } from '#packages/incus/main'
import type Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'

const MiB = 1024 ** 2
const socket = process.env.INCUS_SOCKET

interface Told {
  /** Disk usage in bytes, by the instance's name in Incus. */
  disks?: Record<string, number>
  /**
   * Memory of the host as its watchdog container shows it, in MiB. `null`: the container is
   * missing.
   */
  memory?: { total: number; available: number } | null
  load?: number
}

function telling(
  instances: Partial<InstanceMetrics>[],
  { disks = {}, memory = { total: 4096, available: 3072 }, load = 0.75 }: Told = {}
): IncusForSamples {
  const nothing: Omit<InstanceMetrics, 'name'> = {
    project: 'default',
    type: 'container',
    cpuSeconds: 0,
    memoryUsed: 100 * MiB,
    memoryTotal: 512 * MiB,
    diskUsed: 0,
    diskTotal: 0,
    diskReadBytes: 0,
    diskWrittenBytes: 0,
    networkReceivedBytes: 0,
    networkSentBytes: 0,
    processes: 1,
  }
  return {
    metrics: async () => instances.map((one) => ({ name: 'unnamed', ...nothing, ...one })),
    cluster: {
      memberState: async () => ({
        sysinfo: { load_averages: [load, 0, 0], total_ram: 4096 * MiB },
      }),
    },
    instances: {
      exec: async () => {
        if (!memory) throw new Error('Instance not found')
        const lines = `MemTotal: ${memory.total * 1024} kB\nMemAvailable: ${memory.available * 1024} kB\n`
        return { exitCode: 0, stdout: Buffer.from(lines), stderr: Buffer.alloc(0) }
      },
      listWithState: async () =>
        Object.entries(disks).map(([name, usage]) => ({
          ...({} as Awaited<ReturnType<IncusForSamples['instances']['listWithState']>>[number]),
          name,
          state: { ...({} as InstanceState), disk: { root: { usage, total: 0 } } },
        })),
    },
    storagePools: {
      list: async () => [
        { name: 'p', driver: 'btrfs', description: '', status: '', config: {}, used_by: [] },
      ],
      resources: async () => ({
        space: { used: 5 * MiB, total: 50 * MiB },
        inodes: { used: 0, total: 0 },
      }),
    },
  }
}

/** Returns the bytes of memory in use, according to this machine's kernel. */
async function memoryInUse() {
  const text = await readFile('/proc/meminfo', 'utf8')
  const [total, available] = ['MemTotal', 'MemAvailable'].map((name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)![1])
  )
  return (total! - available!) * 1024
}

/** Creates a host in maintenance, so that it gets no new instances. */
function someHost() {
  return HostInstance.create({
    name: uniqueName('measured'),
    ip: '127.0.0.1',
    status: 'maintenance',
    provider: 'test',
    isLocal: false,
    sshPort: 22,
    specifications: {},
  })
}

/** Hides a host and its instances from later tests. */
async function leave(host: HostInstance) {
  await ServerInstance.query().where('hostInstanceId', host.id).update({ status: 'deleted' })
  await retireHosts(host)
}

async function someInstance(owner: Person, host: HostInstance | null) {
  const option = await createSmallPackage('regular')
  await option.merge({ offered: false }).save()
  const name = uniqueName('measured')
  return ServerInstance.create({
    accountId: owner.id,
    hostInstanceId: host?.id ?? null,
    serverPackageId: option.id,
    name,
    systemId: name,
    instanceType: 'regular',
    status: 'active',
    billingPeriod: 'month',
    ports: {},
    boostMode: false,
  })
}

test.group('Metrics: reading hosts', () => {
  test('rates need two readings, survive a restart of the instance, and add up for the host', async ({
    assert,
  }) => {
    const host = await someHost()
    const instance = await someInstance(await makeCustomer(), host)
    const start = DateTime.utc().startOf('minute').minus({ minutes: 5 })
    const read = (minute: number, mine: number, stray: number) =>
      gatherSamples(
        host,
        telling([
          { name: instance.systemId!, cpuSeconds: mine, networkSentBytes: mine * 600 },
          { name: 'stray', cpuSeconds: stray },
        ]),
        start.plus({ minutes: minute })
      )

    const [first] = await read(0, 100, 10)
    assert.equal(first.subjectId, instance.id)
    assert.isNull(first.rates)
    assert.equal(first.memoryUsed, 100 * MiB)
    assert.isNull(first.diskUsed)

    const [second, whole] = await read(1, 130, 40)
    assert.equal(second.rates?.cpu, 0.5)
    assert.equal(second.rates?.networkOut, 300)
    assert.equal(whole.subject, 'host')
    assert.equal(whole.rates?.cpu, 1)
    assert.equal(whole.load, 0.75)
    assert.equal(whole.diskTotal, 50 * MiB)

    const [again] = await read(2, 6, 40)
    assert.equal(again.rates?.cpu, 0.1)
    await leave(host)
  })

  test('an unreachable host has a gap in its metrics and does not block other hosts', async ({
    assert,
  }) => {
    const [dead, alive] = [await someHost(), await someHost()]
    const now = DateTime.utc()
    await measureHosts((host) => {
      if (host.id !== alive.id) throw new Error('no route')
      return telling([])
    }, now)
    const rows = await db
      .from('metric_samples')
      .where('subject', 'host')
      .whereIn('subject_id', [dead.id, alive.id])
      .where('step', 60)
    assert.deepEqual(
      rows.map((row) => [row.subject_id, row.cpu, row.load]),
      [[alive.id, 0, 0.75]]
    )
    await Promise.all([retireHosts(dead), retireHosts(alive)])
  })

  test('disk usage is measured against the package’s disk size, and pages warn of a nearly full disk', async ({
    assert,
  }) => {
    const host = await someHost()
    const owner = await makeCustomer()
    const instance = await someInstance(owner, host)
    await instance.merge({ vcpu: 1, memoryBytes: 256 * MiB, diskBytes: 3072 * MiB }).save()
    const name = instance.systemId!
    const read = (used: number) =>
      gatherSamples(host, telling([{ name }], { disks: { [name]: used * MiB } }), DateTime.utc())
    const shown = async () => {
      const page = await (await signIn(owner)).page(`/server-instance/${instance.id}`)
      return (page.json.props!.instance as { disk: unknown }).disk
    }
    assert.isNull(await shown())
    const [half] = await read(512)
    assert.deepEqual([half.diskUsed, half.diskTotal], [512 * MiB, 1024 * MiB])
    assert.deepEqual(await shown(), { used: 512 * MiB, total: 1024 * MiB, nearly_full: false })
    await read(880)
    assert.deepEqual(await shown(), { used: 880 * MiB, total: 1024 * MiB, nearly_full: true })
    await leave(host)
  })

  test('memory usage is null if there is no watchdog, or if it reports only its own memory limit', async ({
    assert,
  }) => {
    const host = await someHost()
    const read = async (told: Told) => {
      const whole = (await gatherSamples(host, telling([], told), DateTime.utc())).at(-1)!
      await host.refresh()
      assert.equal(host.memoryUsed, whole.memoryUsed)
      return [whole.load, whole.memoryUsed]
    }
    assert.deepEqual(await read({ load: 3 }), [3, 1024 * MiB])
    assert.deepEqual(await read({ memory: null }), [0.75, null])
    // A total below the host's memory is the watchdog container's own memory limit. The values are then ignored.
    assert.deepEqual(await read({ memory: { total: 128, available: 100 } }), [0.75, null])
    await retireHosts(host)
  })

  test('a real host reports the values of its kernel', async ({ assert }) => {
    const host = await createHost(socket!, { status: 'maintenance' })
    const { openIncusClient } = await import('#hosts/incus_connections')
    const incus = openIncusClient(host)
    try {
      await ensureBuildModeWatchdog(host, incus)
      await eventually(async () => {
        const before = await memoryInUse()
        const whole = (await gatherSamples(host, incus, DateTime.utc())).at(-1)!
        const after = await memoryInUse()
        assert.equal(whole.subject, 'host')
        assert.isAbove(whole.memoryUsed!, Math.min(before, after) - 256 * MiB)
        assert.isBelow(whole.memoryUsed!, Math.max(before, after) + 256 * MiB)
        // Allows more difference on a busy machine, where the load changes by more than 1 between the
        // two readings.
        assert.closeTo(whole.load!, loadavg()[0], Math.max(1, loadavg()[0] / 5))
        assert.isAbove(whole.diskTotal!, 0)
      })
    } finally {
      await incus.close()
      await retireHosts(host)
    }
  })
    .skip(!socket, 'needs an Incus: set INCUS_SOCKET')
    .timeout(900_000)
})

test.group('Metrics: access', () => {
  test('customers can read metrics of their own instances and staff of all, and others get 404', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const host = await someHost()
    const instance = await someInstance(owner, host)
    const rates = { cpu: 0.5, diskRead: 0, diskWritten: 0, networkIn: 0, networkOut: 0 }
    await saveSamples(DateTime.utc().minus({ minutes: 2 }), [
      {
        subject: 'instance',
        subjectId: instance.id,
        rates,
        load: null,
        memoryUsed: 1,
        memoryTotal: 2,
        diskUsed: null,
        diskTotal: null,
      },
    ])
    const path = `/server-instance/${instance.id}/metrics?range=1h`
    const mine = await (await signIn(owner)).get(path)
    assert.equal(mine.status, 200)
    const { metrics } = mine.json.data as {
      metrics: { range: string; series: { cpu: (number | null)[] } }
    }
    assert.equal(metrics.range, '1h')
    assert.deepEqual(
      metrics.series.cpu.filter((value) => value !== null),
      [0.5]
    )

    const other = await signIn(await makeCustomer())
    const foreign = await other.get(path)
    const unknown = await other.get('/server-instance/999999999/metrics')
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, unknown.text)
    assert.equal((await other.get(`/admin/host-instance/${host.id}/metrics`)).status, 401)
    assert.equal((await (await makeVisitor()).get(path)).status, 401)

    const staff = await signIn(await makeStaff('support'))
    assert.equal((await staff.get(`/admin${path}`)).status, 200)
    assert.equal((await staff.get(`/admin/host-instance/${host.id}/metrics`)).status, 200)
    assert.equal((await staff.get('/admin/host-instance/0x1/metrics')).status, 404)
    await leave(host)
  })
})
