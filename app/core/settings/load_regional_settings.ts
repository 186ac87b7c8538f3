import { conflict } from '#core/app_error'
import { publish, subscribe } from '#core/live/live_events'
import { lockKeySql } from '#core/locks'
import {
  billingTimeZone,
  DEFAULT_REGIONAL_SETTINGS,
  type RegionalSettings,
  regionalSettings,
  setRegionalSettings,
} from '#core/settings/regional_settings'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const SETTINGS_KEY = 'regional'
export const REGIONAL_SETTINGS_TOPIC = 'regional_settings'

const LOCK_NAME = 'settings.regional'
const RETRY_INTERVAL_MS = 5_000

let isLoaded = false
let startedLoads = 0
/** Number of the load (`startedLoads`) that set the current values. */
let appliedLoad = 0

export async function findRegionalSettings(
  trx?: TransactionClientContract
): Promise<RegionalSettings> {
  const row = await (trx ?? db).from('settings').where('key', SETTINGS_KEY).select('value').first()
  return { ...DEFAULT_REGIONAL_SETTINGS, ...(row?.value as Partial<RegionalSettings> | undefined) }
}

export async function loadRegionalSettings(trx?: TransactionClientContract): Promise<void> {
  const load = ++startedLoads
  const settings = await findRegionalSettings(trx)
  // A load that started later has already set newer values.
  if (load < appliedLoad) return
  appliedLoad = load
  setRegionalSettings(settings)
  isLoaded = true
}

/**
 * Loads the settings and prevents changes of them until the transaction ends. Call it first in a transaction that
 * writes amounts or billing dates.
 */
export async function loadRegionalSettingsWithSharedLock(
  trx: TransactionClientContract
): Promise<void> {
  await trx.rawQuery(`select pg_advisory_xact_lock_shared(${lockKeySql('?')})`, [LOCK_NAME])
  await loadRegionalSettings(trx)
}

/**
 * Prevents changes of the settings until the transaction ends. Call it if a person entered an amount. Throws 409 if
 * the amount is in a previous currency.
 */
export async function assertCurrencyWithSharedLock(
  currency: string,
  trx: TransactionClientContract
): Promise<void> {
  await loadRegionalSettingsWithSharedLock(trx)
  if (regionalSettings().currency === currency) return
  throw conflict(
    `The currency is ${regionalSettings().currency} now. Reload the page and enter the amount again.`
  )
}

/** Prevents changes of the settings until the transaction ends. Throws 409 if the billing time zone has changed. */
export async function assertBillingTimeZoneWithSharedLock(
  zone: string,
  trx: TransactionClientContract
): Promise<void> {
  await loadRegionalSettingsWithSharedLock(trx)
  if (billingTimeZone() === zone) return
  throw conflict('The billing time zone has changed. Start the billing run again.')
}

/** Holds the lock until the transaction ends. Waits for all shared locks. */
export async function lockRegionalSettingsExclusively(
  trx: TransactionClientContract
): Promise<void> {
  await trx.rawQuery(`select pg_advisory_xact_lock(${lockKeySql('?')})`, [LOCK_NAME])
}

export async function ensureRegionalSettings(): Promise<void> {
  if (!isLoaded) await loadRegionalSettings()
}

/** After the commit, all processes load the settings. */
export async function saveRegionalSettings(
  settings: RegionalSettings,
  trx: TransactionClientContract
): Promise<void> {
  await trx.rawQuery(
    `insert into settings (key, value) values (?, ?::jsonb)
     on conflict (key) do update set value = excluded.value`,
    [SETTINGS_KEY, JSON.stringify(settings)]
  )
  await publish(REGIONAL_SETTINGS_TOPIC, { trx })
}

export async function subscribeToRegionalSettings(): Promise<void> {
  const load = (): Promise<void> =>
    loadRegionalSettings().catch((error: unknown) => {
      isLoaded = false
      logger.warn({ err: error }, 'regional settings cannot be loaded')
      setTimeout(() => void load(), RETRY_INTERVAL_MS).unref()
    })
  try {
    // Subscribes before the first load, so that no change is missed.
    await subscribe(REGIONAL_SETTINGS_TOPIC, () => void load())
  } catch (error) {
    logger.warn({ err: error }, 'regional settings: cannot listen')
  }
  await load()
}
