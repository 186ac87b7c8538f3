import { allModules } from '#core/modules'
import { publish } from '#core/live/live_events'
import { withTimeout } from '#core/monitoring/gauges'
import { notifyStaffOfAlert } from '#core/monitoring/alert_notifications'
import type { PageHref } from '#core/page_addresses'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** `critical`: customers notice the problem now or within hours. */
export type Severity = 'warning' | 'critical'

export interface DetectedProblem {
  /** Id of the problem within its rule, the same while the problem lasts: for example the host's id. */
  key: string
  severity: Severity
  /** One sentence, with the measured numbers if there are any. */
  words: string
  href?: PageHref
}

export interface AlertRule {
  /** Dotted, starting with the module: `hosts.away`. */
  name: string
  label: string
  /** File name of the runbook: `docs/runbooks/<runbook>.md`. */
  runbook: string
  /** Seconds that a problem must last before staff are notified. Default 0. */
  after?: number
  /** Returns all current problems. If it throws, the rule's alerts stay unchanged. */
  findProblems(): Promise<DetectedProblem[]>
}

export type AlertStatus = 'pending' | 'firing' | 'resolved'

export interface AlertRow {
  id: number
  name: string
  key: string
  label: string
  severity: Severity
  status: AlertStatus
  words: string
  href: PageHref | null
  began_at: Date
  seen_at: Date
  fired_at: Date | null
  told_at: Date | null
  reminders: number
  ended_at: Date | null
}

const ALERT_TIMEOUT_MS = 10_000
/**
 * An alert is resolved once its problem has been absent for this time. A problem that comes and goes then causes
 * only one notification.
 */
const RESOLVE_AFTER_MS = 60_000
const REMINDER_INTERVAL_MS = 86_400_000

export const ALERTS_TOPIC = 'alert'

export function allAlertRules(): AlertRule[] {
  return allModules().flatMap(({ alerts }) => alerts ?? [])
}

/** Rules whose last evaluation failed, with the error. */
const failedRuleErrors = new Map<string, string>()
export const alertRuleErrors = (): ReadonlyMap<string, string> => failedRuleErrors

/** Saves the start, daily reminder and end of an alert in the same transaction as the notification. */
export async function evaluateAlertRules(
  alerts: AlertRule[] = allAlertRules(),
  now: Date = new Date()
): Promise<void> {
  for (const alert of alerts) {
    try {
      const troubles = await withTimeout(alert.findProblems(), ALERT_TIMEOUT_MS)
      failedRuleErrors.delete(alert.name)
      await saveAlertChanges(alert, troubles, now)
    } catch (error) {
      failedRuleErrors.set(alert.name, error instanceof Error ? error.message : String(error))
      logger.warn({ err: error, alert: alert.name }, 'an alert could not be checked')
    }
  }
}

async function saveAlertChanges(
  alert: AlertRule,
  troubles: DetectedProblem[],
  now: Date
): Promise<void> {
  const seen = new Map(troubles.map((trouble) => [trouble.key, trouble]))
  const changed = await db.transaction(async (trx) => {
    const open: AlertRow[] = await trx
      .from('alerts')
      .where('name', alert.name)
      .whereNot('status', 'resolved')
      .forUpdate()
    let changes = 0
    for (const row of open) {
      const trouble = seen.get(row.key)
      seen.delete(row.key)
      changes += Number(
        await (trouble
          ? continueAlert(alert, row, trouble, now, trx)
          : endAlert(alert, row, now, trx))
      )
    }
    for (const trouble of seen.values()) {
      const row = await startAlert(alert, trouble, now, trx)
      await continueAlert(alert, row, trouble, now, trx)
      changes++
    }
    return changes > 0
  })
  if (changed) await publish(ALERTS_TOPIC)
}

async function startAlert(
  { name, label }: AlertRule,
  { key, severity, words, href = undefined }: DetectedProblem,
  now: Date,
  trx: TransactionClientContract
): Promise<AlertRow> {
  const [row] = await trx
    .insertQuery()
    .table('alerts')
    .insert({
      name,
      key,
      label,
      severity,
      words,
      href: href ?? null,
      status: 'pending',
      began_at: now,
      seen_at: now,
    })
    .returning('*')
  return row as AlertRow
}

/** Returns true if the page that shows the alert needs a refresh. */
async function continueAlert(
  alert: AlertRule,
  row: AlertRow,
  { severity, words, href = undefined }: DetectedProblem,
  now: Date,
  trx: TransactionClientContract
): Promise<boolean> {
  const lasted = now.getTime() - row.began_at.getTime()
  const fires = row.status === 'pending' && lasted >= (alert.after ?? 0) * 1_000
  const after: AlertRow = {
    ...row,
    severity,
    words,
    href: href ?? null,
    seen_at: now,
    ...(fires && { status: 'firing', fired_at: now }),
  }
  if (after.status === 'firing' && !(await isSilenced(after, now, trx))) {
    if (!after.told_at) {
      await notifyStaffOfAlert('began', alert, after, trx)
      after.told_at = now
    } else if (now.getTime() - after.told_at.getTime() >= REMINDER_INTERVAL_MS) {
      after.reminders++
      await notifyStaffOfAlert('reminder', alert, after, trx)
      after.told_at = now
    }
  }
  const { id, ...values } = after
  await trx.from('alerts').where({ id }).update(values)
  return fires || words !== row.words || severity !== row.severity
}

/** Deletes an alert that never fired, without a notification. */
async function endAlert(
  alert: AlertRule,
  row: AlertRow,
  now: Date,
  trx: TransactionClientContract
): Promise<boolean> {
  const { id, name, key, status, seen_at: seenAt, told_at: notifiedAt } = row
  if (status === 'pending') {
    await trx.from('alerts').where({ id }).delete()
    return true
  }
  if (now.getTime() - seenAt.getTime() < RESOLVE_AFTER_MS) return false
  const after: AlertRow = { ...row, status: 'resolved', ended_at: now }
  await trx.from('alerts').where({ id }).update({ status: 'resolved', ended_at: now })
  await trx.from('alert_silences').where({ name, key }).delete()
  if (notifiedAt) await notifyStaffOfAlert('ended', alert, after, trx)
  return true
}

async function isSilenced(
  { name, key }: AlertRow,
  now: Date,
  trx: TransactionClientContract
): Promise<boolean> {
  const silence = await trx
    .from('alert_silences')
    .where({ name, key })
    .where('until', '>', now)
    .first()
  return Boolean(silence)
}
