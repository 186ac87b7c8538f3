import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { publish } from '#core/live/live_events'
import { AppError } from '#core/app_error'
import { incusClientFor, ensureBuildModeWatchdogIfPossible } from '#hosts/public_effects'
import { applyLimits, raiseLimits } from '#instances/containers/limits'
import { getOwnContainer } from '#instances/containers/labels'
import { BUILD_MODE_SETTINGS, boostedLimits } from '#instances/runtime_limits'
import { withInstanceLock } from '#instances/instance_lock'
import { loadInstanceHost } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import { assertInstanceCan, computeBoostTimers, type BoostTimers } from '#instances/states/instance'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/**
 * Starts Build Mode: raises the instance's limits for some minutes. Saves the end time first, so that the worker or
 * the host's watchdog restores the limits whatever fails.
 * @throws AppError 503 `boost_failed` if Incus does not accept the limits
 */
export async function boostInstance(
  actor: Actor,
  instanceId: number,
  ip?: string
): Promise<BoostTimers> {
  return withInstanceLock(instanceId, async () => {
    const instance = await ServerInstance.findOrFail(instanceId)
    assertInstanceCan('boost', instance)
    const host = await loadInstanceHost(instance)
    const incus = incusClientFor(host)
    // Creating the watchdog takes seconds, which must not shorten the boost.
    await ensureBuildModeWatchdogIfPossible(host, incus)
    const until = DateTime.utc().plus({ seconds: BUILD_MODE_SETTINGS.seconds })
    const availableBefore = instance.boostAvailableAt
    instance.merge({
      boostedUntil: until,
      boostAvailableAt: until.plus({ seconds: BUILD_MODE_SETTINGS.pause }),
    })
    await instance.save()
    const back = instance.limits
    const to = boostedLimits(back, host)
    try {
      await raiseLimits(incus, instance.systemId!, { to, back, until: until.toJSDate() })
    } catch (error) {
      // Some limits may be raised already. The end time is set to now, so that the worker restores the limits.
      instance.merge({ boostedUntil: DateTime.utc(), boostAvailableAt: availableBefore })
      await instance.save()
      logger.warn({ err: error, instance: instance.id }, 'boost failed')
      const message = 'The host could not raise the limits. Your boost was not used. Try again.'
      throw new AppError('boost_failed', 503, message, { cause: error })
    }
    await audit({
      actor,
      accountId: instance.accountId,
      action: 'instance.boost',
      subject: { type: 'server_instance', id: instance.id, label: instance.name },
      after: { vcpu: to.vcpu, memory: to.memory, until: until.toISO() },
      ip,
    })
    return computeBoostTimers(instance)
  })
}

/** Returns false if there is no boost, or it has not expired. */
export async function endBoost(instanceId: number): Promise<boolean> {
  return withInstanceLock(instanceId, async () => {
    const instance = await ServerInstance.findOrFail(instanceId)
    const { boostedUntil, systemId, status } = instance
    if (!boostedUntil || boostedUntil > DateTime.utc()) return false
    if (systemId && status !== 'deleted') {
      const incus = incusClientFor(await loadInstanceHost(instance))
      await getOwnContainer(incus, instance)
      await applyLimits(incus, systemId, instance.limits)
    }
    instance.boostedUntil = null
    await instance.save()
    await publish(`server_instance:${instance.id}`, { owner: instance.accountId })
    return true
  })
}
