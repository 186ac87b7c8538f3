import { recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { webhookEvents, messageStates } from '#mail/statuses'
import vine from '@vinejs/vine'
import type { MailEventType, MessageState } from '#packages/mail-service/types'

const email = () => vine.string().trim().toLowerCase().maxLength(254).email()
const uuid = () => vine.string().uuid()

export const createSenderValidator = withMessages(vine.create({ email: email() }))

export const verificationTokenValidator = withMessages(
  vine.create({
    token: vine.string().maxLength(100),
  })
)

export const mailDomainValidator = withMessages(
  vine.create({ domain: vine.string().trim().maxLength(300) })
)

export const suspensionValidator = withMessages(
  vine.create({ reason: vine.string().trim().minLength(3).maxLength(500) })
)

export const hourlyLimitValidator = withMessages(
  vine.create({ hourly_limit: wholeNumberSchema().range([1, 1_000_000]) })
)

/** Seconds during which the old key still works: none, an hour or a day. */
export const secretRotationValidator = withMessages(
  vine.create({ overlap: vine.number().in([0, 3_600, 86_400]) }),
  { 'overlap.in': 'Choose when the old secret key expires: now, in an hour or in a day.' }
)

export const senderSettingsValidator = withMessages(vine.create({ track_opens: vine.boolean() }))

const states = Object.keys(messageStates) as MessageState[]
const events = Object.keys(webhookEvents) as MailEventType[]

const page = () => wholeNumberSchema().positive().max(100_000).optional()
const search = () => vine.string().trim().maxLength(300).optional()

export const messageListValidator = withMessages(
  vine.create({ state: vine.enum(states).optional(), search: search(), page: page() })
)
export const suppressionListValidator = withMessages(
  vine.create({ search: search(), page: page() })
)
export const messageIdValidator = withMessages(vine.create({ message_id: uuid() }))

export const suppressionValidator = withMessages(
  vine.create({ recipient: email(), detail: vine.string().trim().maxLength(200).optional() }),
  { detail: 'note' }
)
export const recipientValidator = withMessages(
  vine.create({ recipient: vine.string().maxLength(320) })
)

const url = () =>
  vine
    .string()
    .trim()
    .maxLength(2_000)
    .regex(/^https?:\/\/[^\s]+$/i)
const eventList = () => vine.array(vine.enum(events)).minLength(1).distinct()
const urlMessages = { 'url.regex': 'Enter an address that begins with https://.' }

export const webhookValidator = withMessages(
  vine.create({ url: url(), events: eventList() }),
  urlMessages
)
export const webhookUpdateValidator = withMessages(
  vine.create({
    webhook_id: recordIdSchema(),
    url: url().optional(),
    events: eventList().optional(),
    active: vine.boolean().optional(),
  }),
  urlMessages
)
export const webhookIdValidator = withMessages(
  vine.create({ webhook_id: recordIdSchema(), page: page() })
)
export const webhookDeliveryIdValidator = withMessages(
  vine.create({ webhook_id: recordIdSchema(), delivery_id: uuid() })
)
