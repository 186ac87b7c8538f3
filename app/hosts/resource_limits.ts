import { AppError } from '#core/app_error'
import { findExceededLimits } from '#hosts/containment/self_test'
import type HostInstance from '#hosts/models/host_instance'
import type { Incus } from '#packages/incus/main'

/**
 * Returns why the host cannot limit its instances, or null if it can. A fork bomb in one instance would stop a host
 * without limits (decision 0089).
 */
export async function findLimitsProblem(host: HostInstance, incus: Incus): Promise<string | null> {
  const missing = await incus.server.missingControllers()
  return missing.length ? missingControllersMessage(missing) : findExceededLimits(host)
}

/** @throws AppError `host_without_limits` (422) if Incus does not limit its instances */
export async function assertLimitsApply(incus: Incus): Promise<void> {
  const missing = await incus.server.missingControllers()
  if (missing.length === 0) return
  throw new AppError('host_without_limits', 422, missingControllersMessage(missing))
}

function missingControllersMessage(missing: string[]): string {
  return `Incus on this machine starts instances without limits, so that one instance could stop the machine. These cgroup controllers are missing: ${missing.join(', ')}. Mount them at /sys/fs/cgroup and restart Incus.`
}
