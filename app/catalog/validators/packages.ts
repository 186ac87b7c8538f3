import { wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** US dollars, at most 6 decimals (docs/product.md, "Money"). */
const dollars = vine.string().regex(/^\d{1,9}(\.\d{1,6})?$/)

const DOLLARS_MESSAGE = 'Enter dollars such as 4.50, with at most 6 decimals.'

const labels = {
  'specifications.vcpu': 'vCPU',
  'specifications.vcpu.value': 'vCPU',
  'specifications.ram': 'RAM',
  'specifications.ram.value': 'RAM',
  'specifications.ram.unit': 'RAM unit',
  'specifications.storage.value': 'storage',
  'specifications.storage.unit': 'storage unit',
  'specifications.storage.type': 'storage type',
  'specifications.bandwidth.value': 'bandwidth',
  'specifications.bandwidth.unit': 'bandwidth unit',
  'specifications.processes.value': 'number of processes',
  'specifications.backups.value': 'backups',
  pricing: 'prices',
  'pricing.array.minLength': 'Enter a price per month or per year.',
  'pricing.array.maxLength': 'Enter one price per month and one per year.',
  'pricing.distinct': 'Enter one price per month and one per year.',
  'pricing.*.price': 'price',
  'pricing.*.price.regex': DOLLARS_MESSAGE,
  'pricing.*.renew': 'renewal',
  'pricing.*.renew.regex': DOLLARS_MESSAGE,
  offered: 'Can be ordered',
}

export const packageValidator = withMessages(
  vine.create({
    name: vine.string().trim().minLength(2).maxLength(60),
    instance_type: vine.enum(['regular', 'shared'] as const),
    server_series: vine.enum(['bronze', 'silver', 'gold'] as const),
    specifications: vine.object({
      vcpu: vine.object({ value: wholeNumberSchema().range([1, 256]) }),
      ram: vine.object({
        value: vine.number().range([0.125, 65_536]),
        unit: vine.enum(['MB', 'GB'] as const),
      }),
      storage: vine.object({
        value: vine.number().range([1, 100_000]),
        unit: vine.enum(['GB', 'TB'] as const),
        type: vine.string().trim().maxLength(20),
      }),
      bandwidth: vine.object({
        value: vine.number().range([0, 1_000_000]),
        unit: vine.enum(['GB', 'TB'] as const),
      }),
      processes: vine.object({ value: wholeNumberSchema().range([100, 1_000_000]) }).optional(),
      backups: vine.object({ value: vine.enum(['daily'] as const) }).optional(),
    }),
    pricing: vine
      .array(
        vine.object({
          period: vine.enum(['month', 'year'] as const),
          price: dollars.clone(),
          renew: dollars.clone(),
          billing_cycle: wholeNumberSchema().range([1, 120]),
        })
      )
      .minLength(1)
      .maxLength(2)
      .distinct('period'),
    offered: vine.boolean(),
    position: wholeNumberSchema().range([0, 100_000]).optional(),
  }),
  labels
)
