import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'

export function overrideSettings(values: Record<string, string | Secret<string>>): () => void {
  const before = Object.keys(values).map(
    (name) => [name, env.get(name as never) as unknown, process.env[name]] as const
  )
  for (const [name, value] of Object.entries(values)) {
    setSetting(name, value, value instanceof Secret ? value.release() : value)
  }
  return () => {
    for (const [name, value, raw] of before) setSetting(name, value, raw)
  }
}

/**
 * Sets a setting, and its text `raw` in `process.env`. `process.env` would store `undefined` as the text "undefined",
 * and a `Secret` as its mask.
 */
function setSetting(name: string, value: unknown, raw: string | undefined): void {
  env.set(name as never, value as never)
  if (raw === undefined) delete process.env[name]
  else process.env[name] = raw
}
