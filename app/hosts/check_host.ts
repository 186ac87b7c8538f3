import { AppError } from '#core/app_error'
import { audit } from '#core/audit/audit'
import { BASE_IMAGE } from '#hosts/base_image'
import { incusClientFor } from '#hosts/incus_connections'
import { assertLocallyReachable } from '#hosts/local_hosts'
import { findClusterReason, HOST_NOT_SET_UP, inspectHost } from '#hosts/inspect_host'
import { findLimitsProblem } from '#hosts/resource_limits'
import HostInstance, { type HostStatus } from '#hosts/models/host_instance'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { setTimeout as sleep } from 'node:timers/promises'

const RESPONSE_TIMEOUT_MS = 10_000
const RETRY_DELAY_MS = 1_000

/**
 * Checks a host and saves its status. After two failed attempts, or if it does not limit its instances, the host
 * becomes `offline`, with the reason. A later success makes it active again. Maintenance stays unchanged. A new
 * host stays `pending` until it has the base image.
 * @throws NotOnThisHost if only another control machine can reach the host
 */
export async function checkHost(host: HostInstance): Promise<HostStatus> {
  assertLocallyReachable(host)
  const before = host.status
  const { failure, responds, clusterReason } = await inspectTwice(host)
  if (responds) host.merge({ seenAt: DateTime.utc() })
  host.incusResponds = responds
  if (failure === null) {
    if (before === 'offline' || (before === 'pending' && (await isPrepared(host)))) {
      host.status = 'active'
    }
    // While it has a reason, an active host gets no new instances.
    if (host.status === 'active') {
      host.statusReason =
        clusterReason &&
        `${clusterReason} The host gets no new instances until it leaves the cluster.`
    }
  } else if (before === 'active' || before === 'offline' || before === 'pending') {
    host.merge({ status: before === 'pending' ? 'pending' : 'offline', statusReason: failure })
  }
  await saveCheckResult(host, before)
  return host.status
}

/** Saves the result of a check. Keeps the saved status if it has changed since (maintenance, deletion). */
async function saveCheckResult(host: HostInstance, before: HostStatus): Promise<void> {
  const { status, statusReason, ...facts } = host.$dirty
  if (Object.keys(facts).length) {
    await HostInstance.query().where('id', host.id).update(detailsToColumns(facts))
  }
  if (status === undefined && statusReason === undefined) return
  const changed = await HostInstance.query()
    .where({ id: host.id, status: before })
    .update({ status: host.status, status_reason: host.statusReason })
  if (Number(changed) === 0 || host.status === before) return
  await audit({
    actor: null,
    action: `host.${host.status}`,
    subject: { type: 'host_instance', id: host.id, label: host.name },
    before: { status: before },
    after: { status: host.status, reason: host.statusReason },
  })
}

function detailsToColumns(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      // The database's time, because the clocks of consoles differ. `markSilentHosts` compares with it.
      key === 'seenAt' ? db.raw('now()') : key === 'specifications' ? JSON.stringify(value) : value,
    ])
  )
}

async function isPrepared(host: HostInstance): Promise<boolean> {
  return Boolean(await incusClientFor(host).images.byAlias(BASE_IMAGE))
}

interface Inspection {
  /** Why the host cannot be used. Null: it can. */
  failure: string | null
  responds: boolean
  clusterReason: string | null
}

/**
 * Asks Incus for the host's resources and assigns them to `host`. After an error, tries once more; a second error
 * becomes `failure`.
 */
async function inspectTwice(host: HostInstance): Promise<Inspection> {
  for (let attempt = 1; ; attempt++) {
    try {
      const incus = incusClientFor(host)
      const [details, failure, clusterReason] = await withTimeout(
        Promise.all([inspectHost(incus), findLimitsProblem(host, incus), findClusterReason(incus)])
      )
      host.merge(details)
      return { failure, responds: true, clusterReason }
    } catch (error) {
      if (attempt === 2) {
        const responds = error instanceof AppError && error.code === HOST_NOT_SET_UP
        return { failure: (error as Error).message, responds, clusterReason: null }
      }
      await sleep(RETRY_DELAY_MS)
    }
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error('The host does not respond in time.')),
      RESPONSE_TIMEOUT_MS
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
