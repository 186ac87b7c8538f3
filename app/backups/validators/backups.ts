import { wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

const count = (max: number) => wholeNumberSchema().range([0, max])

export const backupSettingsValidator = withMessages(
  vine.create({
    place: vine
      .string()
      .trim()
      .maxLength(500)
      .regex(/^(\/[^\0]*|s3:https?:\/\/[^/\s@]+\/[^\s]+)$/),
    access_key_id: vine.string().trim().maxLength(200).nullable().optional(),
    secret_access_key: vine.string().trim().maxLength(500).nullable().optional(),
    region: vine
      .string()
      .trim()
      .maxLength(60)
      .regex(/^[a-z0-9-]+$/)
      .nullable()
      .optional(),
    active: vine.boolean(),
    every: wholeNumberSchema().range([5, 1_440]),
    full_hour: wholeNumberSchema().range([0, 23]),
    hours: count(720),
    days: count(366),
    weeks: count(520),
    months: count(120),
  }),
  {
    place: 'target',
    'place.regex': 'Enter an absolute path such as /mnt/backup, or s3:https://host/bucket/folder.',
    access_key_id: 'access key',
    secret_access_key: 'secret key',
    'region.regex': 'Enter a region such as us-east-1.',
    every: 'backup interval',
    full_hour: 'hour',
  }
)
