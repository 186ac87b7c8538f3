import {
  decimalSchema,
  requiredTextSchema,
  mobileAccountSchema,
  referenceSchema,
  transactionIdSchema,
} from '#billing/public'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Printable ASCII without spaces, so that people can read the ids aloud. */
const externalIdSchema = () =>
  vine
    .string()
    .maxLength(100)
    .regex(/^[\x21-\x7e]+$/)

export const autoCourierBillValidator = withMessages(
  vine.create({
    bill: externalIdSchema(),
    user: requiredTextSchema(200),
    amount: decimalSchema(2),
  }),
  {
    'bill.regex': 'Use only letters, digits and symbols, without spaces, for the bill number.',
    'amount.regex': 'Send the amount in taka as a string, such as "1500.50".',
  }
)

export const autoCourierPaymentValidator = withMessages(
  vine.create({
    bill: externalIdSchema(),
    account_number: mobileAccountSchema(),
    trx_id: transactionIdSchema(),
    reference: referenceSchema(),
  }),
  {
    'bill.regex': 'Use only letters, digits and symbols, without spaces, for the bill number.',
    'account_number.regex': 'Send the mobile number that the money was sent from.',
    'trx_id.regex': 'Enter only the transaction ID, such as 8N7A2B3C4D.',
  }
)

export const autoCourierWebhookUrlValidator = withMessages(
  vine.create({
    url: vine
      .string()
      .trim()
      .maxLength(2_000)
      .url({ protocols: ['http', 'https'], require_protocol: true, require_tld: false })
      .nullable(),
  }),
  { url: 'address', 'url.url': 'Enter an address such as https://example.com/bills.' }
)

export const courierSecretRotationValidator = withMessages(
  vine.create({ at_once: vine.boolean().optional() })
)

export const courierEventIdValidator = withMessages(vine.create({ id: vine.string().uuid() }))
