import { allocationFromSpecifications } from '#catalog/allocation'
import {
  boostedLimits,
  limitConfig,
  maxProcesses,
  cpuWeightConfig,
} from '#instances/runtime_limits'
import { instanceStatuses } from '#instances/models/server_instance'
import {
  boostRejectionReasonIgnoringCountdowns,
  computeBoostTimers,
  instanceCan,
  type InstanceStateFields,
  instancePermissions,
} from '#instances/states/instance'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const BYTES_PER_GIB = 1024 ** 3
const facts: InstanceStateFields = {
  status: 'active',
  instanceType: 'regular',
  boostMode: true,
  boostedUntil: null,
  boostAvailableAt: null,
  deletionAskedAt: null,
}

test.group('Allowed actions of instances', () => {
  test('each denied action has a reason', ({ assert }) => {
    for (const status of Object.keys(instanceStatuses) as InstanceStateFields['status'][]) {
      for (const verdict of Object.values(instancePermissions({ ...facts, status }))) {
        assert.equal(verdict.allowed, verdict.reason === null)
      }
    }
  })

  test('only active instances can be managed, and deleted ones have no actions', ({ assert }) => {
    const managed = Object.keys(instanceStatuses).filter(
      (status) =>
        instanceCan('manage', { ...facts, status: status as InstanceStateFields['status'] }).allowed
    )
    assert.deepEqual(managed, ['active'])
    const deleted = Object.values(instancePermissions({ ...facts, status: 'deleted' }))
    assert.isTrue(deleted.every(({ allowed }) => !allowed))
  })

  test('no action is allowed during a deletion, and a failed deletion can be repeated', ({
    assert,
  }) => {
    const leaving = { ...facts, deletionAskedAt: DateTime.utc() }
    assert.isTrue(Object.values(instancePermissions(leaving)).every(({ allowed }) => !allowed))
    const failed = instancePermissions({ ...leaving, status: 'failed' })
    assert.deepEqual([failed.delete.allowed, failed.retry.allowed], [true, false])
  })

  test('Build Mode and the pause after it have countdowns in whole seconds', ({ assert }) => {
    const now = Date.now()
    const at = (seconds: number) => DateTime.fromMillis(now + seconds * 1_000)
    const during = { boostedUntil: at(10.2), boostAvailableAt: at(3_610) }
    assert.deepEqual(computeBoostTimers(during, now), { boostTimer: 11, boostDelay: 0 })
    const after = { boostedUntil: at(-1), boostAvailableAt: at(60) }
    assert.deepEqual(computeBoostTimers(after, now), { boostTimer: 0, boostDelay: 60 })
    assert.isFalse(instanceCan('boost', { ...facts, ...after }).allowed)
    assert.isTrue(instanceCan('boost', { ...facts, boostAvailableAt: at(-5) }).allowed)
  })

  test('reasons against Build Mode other than its countdowns are reported separately', ({
    assert,
  }) => {
    const paused = { ...facts, boostAvailableAt: DateTime.utc().plus({ minutes: 5 }) }
    assert.isFalse(instanceCan('boost', paused).allowed)
    assert.isNull(boostRejectionReasonIgnoringCountdowns(paused))
    assert.equal(
      boostRejectionReasonIgnoringCountdowns({ ...paused, status: 'stopped' }),
      'The instance is stopped. Start it first.'
    )
    assert.isString(boostRejectionReasonIgnoringCountdowns({ ...paused, boostMode: false }))
    assert.equal(
      boostRejectionReasonIgnoringCountdowns({ ...paused, host: { status: 'offline' } }),
      'The host does not respond. We are working on it.'
    )
    const host = { status: 'offline', respondsThoughOffline: true }
    assert.equal(
      boostRejectionReasonIgnoringCountdowns({ ...paused, host }),
      'The host has a problem. We are working on it.'
    )
  })

  test('Build Mode gives 4x processors and 2x memory, at most those of the host', ({ assert }) => {
    const allocation = { vcpu: 1, memory: BYTES_PER_GIB }
    const big = { cpuTotal: 16, memoryTotal: 64 * BYTES_PER_GIB }
    assert.deepEqual(boostedLimits(allocation, big), { vcpu: 4, memory: 2 * BYTES_PER_GIB })
    const small = { cpuTotal: 2, memoryTotal: 3 * BYTES_PER_GIB }
    assert.deepEqual(boostedLimits(allocation, small), { vcpu: 2, memory: 1.5 * BYTES_PER_GIB })
    assert.deepEqual(boostedLimits({ vcpu: 2, memory: 2 * BYTES_PER_GIB }, small), {
      vcpu: 2,
      memory: 2 * BYTES_PER_GIB,
    })
  })

  test('a running operation blocks other actions except deletion', ({ assert }) => {
    const { suspend, stop, start, terminal, delete: remove } = instancePermissions(facts, true)
    assert.match(suspend.reason!, /Wait until it finishes/)
    assert.isFalse(stop.allowed)
    assert.equal(start.reason, 'The instance is already running.')
    assert.isTrue(terminal.allowed && remove.allowed)
  })

  test('a package is converted to limits', ({ assert }) => {
    const allocation = allocationFromSpecifications({
      vcpu: { value: 2 },
      ram: { value: 512, unit: 'MB' },
      storage: { value: 5, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
    })
    const image = 0.75 * BYTES_PER_GIB
    const disk = 5 * BYTES_PER_GIB + image
    assert.deepEqual(allocation, { vcpu: 2, memory: 512 * 1024 ** 2, disk, image })
    const usual = { 'limits.cpu': '2', 'limits.memory': '536870912B', 'limits.processes': '512' }
    assert.deepEqual(limitConfig(allocation), usual)
  })

  test('the process limit depends on the memory, unless the package sets it', ({ assert }) => {
    const inGib = [0.125, 0.5, 4, 512].map((memory) =>
      maxProcesses({ memory: memory * BYTES_PER_GIB })
    )
    assert.deepEqual(inGib, [512, 512, 4096, 32_768])
    const named = allocationFromSpecifications({
      vcpu: { value: 1 },
      ram: { value: 1, unit: 'GB' },
      storage: { value: 5, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
      processes: { value: 300 },
    })
    assert.equal(limitConfig(named)['limits.processes'], '300')
    assert.equal(
      boostedLimits(named, { cpuTotal: 8, memoryTotal: 64 * BYTES_PER_GIB }).processes,
      300
    )
  })

  test('larger instances have a higher CPU weight, but less than the host', ({ assert }) => {
    const weights = [1, 4, 64].map((vcpu) => cpuWeightConfig({ vcpu })['limits.cpu.allowance'])
    assert.deepEqual(weights, ['25%', '100%', '100%'])
  })
})
