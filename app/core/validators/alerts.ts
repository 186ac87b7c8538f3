import { wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Limited, because problems should be fixed, not silenced forever. */
export const MAX_SILENCE_HOURS = 720

export const alertSilenceValidator = withMessages(
  vine.create({
    hours: wholeNumberSchema().range([1, MAX_SILENCE_HOURS]),
    reason: vine.string().trim().minLength(1).maxLength(500),
  }),
  { hours: 'hours' }
)

export const alertSettingsValidator = withMessages(
  vine.create({
    /** `null`: all administrators. */
    recipients: vine
      .array(vine.string().trim().maxLength(254).email())
      .minLength(1)
      .maxLength(20)
      .nullable(),
    webhook_url: vine
      .string()
      .trim()
      .maxLength(2_000)
      .url({ protocols: ['http', 'https'], require_protocol: true, require_tld: false })
      .nullable(),
  }),
  {
    recipients: 'addresses',
    webhook_url: 'address',
    'webhook_url.url': 'Enter a web address (https://…).',
  }
)
