import { publish, subscribe } from '#core/live/live_events'
import {
  DEFAULT_REGIONAL_SETTINGS,
  type RegionalSettings,
  setRegionalSettings,
} from '#core/settings/regional_settings'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const SETTINGS_KEY = 'regional'
/** Topic that is published when the settings change. */
export const REGIONAL_SETTINGS_TOPIC = 'regional_settings'

let isLoaded = false

export async function findRegionalSettings(
  trx?: TransactionClientContract
): Promise<RegionalSettings> {
  const row = await (trx ?? db).from('settings').where('key', SETTINGS_KEY).select('value').first()
  return { ...DEFAULT_REGIONAL_SETTINGS, ...(row?.value as Partial<RegionalSettings> | undefined) }
}

/** Loads the settings into this process. */
export async function loadRegionalSettings(trx?: TransactionClientContract): Promise<void> {
  setRegionalSettings(await findRegionalSettings(trx))
  isLoaded = true
}

/** Loads the settings if the database was away when the process started. */
export async function ensureRegionalSettings(): Promise<void> {
  if (!isLoaded) await loadRegionalSettings()
}

/** Saves the settings. All processes load them when the transaction commits. */
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

/** Loads the settings now and after each change. */
export async function followRegionalSettings(): Promise<void> {
  const load = () =>
    loadRegionalSettings().catch((error: unknown) => {
      isLoaded = false
      logger.warn({ err: error }, 'regional settings cannot be loaded')
    })
  try {
    // Subscribe before loading, so that no change is missed in between.
    await subscribe(REGIONAL_SETTINGS_TOPIC, () => void load())
  } catch (error) {
    logger.warn({ err: error }, 'regional settings: cannot listen')
  }
  await load()
}
