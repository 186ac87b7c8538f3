import { documentLanguages, type DocumentLanguage } from '#billing/documents/localized_format'
import { billMailTypes, type BillMailType } from '#billing/statuses'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Exact decimals as text, at most so many places. */
const decimal = (places: number) =>
  vine
    .string()
    .trim()
    .maxLength(20)
    .regex(new RegExp(`^\\d{1,11}(\\.\\d{1,${places}})?$`))

/** Of a mobile operator: letters and digits, as people copy them. */
const trxId = () =>
  vine
    .string()
    .trim()
    .maxLength(40)
    .regex(/^[A-Za-z0-9 -]{4,40}$/)

const line = (max: number) => vine.string().trim().minLength(1).maxLength(max)

/** `amount` and the parts' are taka as sent, the charge included; what the bill comes to is the server's. */
export const paymentClaimValidator = withMessages(
  vine.create({
    account_number: line(40).regex(/^[+\d][\d -]{2,39}$/),
    reference: vine.string().trim().maxLength(100).nullable().optional(),
    trx_id: trxId().optional().requiredIfMissing('parts'),
    amount: decimal(2).optional(),
    parts: vine
      .array(vine.object({ trx_id: trxId(), amount: decimal(2) }))
      .minLength(1)
      .maxLength(20)
      .optional(),
  }),
  {
    trx_id: 'transaction ID',
    'parts.*.trx_id': 'transaction ID',
    'parts.*.amount': 'amount',
    'account_number.regex': 'Enter the mobile number that you sent the money from.',
    'trx_id.regex': 'Enter letters and digits only.',
    'parts.*.trx_id.regex': 'Enter letters and digits only.',
    'amount.regex': 'Enter the amount in taka, such as 1500.50.',
    'parts.*.amount.regex': 'Enter the amount in taka, such as 1500.50.',
  }
)

/** What is asked for of a printed bill. */
export const billDocumentValidator = withMessages(
  vine.create({
    language: vine.enum(Object.keys(documentLanguages) as DocumentLanguage[]).optional(),
    number: vine.string().maxLength(40).optional(),
  })
)

/** Taka of a month from which people want to be told; nothing for not at all. */
export const spendingAlertValidator = withMessages(
  vine.create({ amount: decimal(2).nullable().optional() }),
  {
    'amount.regex': 'Enter the amount in taka, such as 5000.',
  }
)

export const paymentRejectionValidator = withMessages(
  vine.create({ note: vine.string().trim().maxLength(500).nullable().optional() })
)

export const billMailValidator = withMessages(
  vine.create({
    mail_type: vine.enum(Object.keys(billMailTypes) as BillMailType[]),
    again: vine.boolean().optional(),
  }),
  { mail_type: 'mail' }
)

/** `amount` is dollars. */
export const creditRefundValidator = withMessages(
  vine.create({ amount: decimal(6), trx_id: trxId() }),
  {
    trx_id: 'transaction ID',
    'amount.regex': 'Enter the amount in dollars, such as 4.50.',
    'trx_id.regex': 'Enter letters and digits only.',
  }
)

export const billReductionValidator = withMessages(
  vine.create({ amount: decimal(6).optional(), note: line(500) }),
  { 'amount.regex': 'Enter the amount in dollars, such as 4.50.' }
)

export const dollarRateValidator = withMessages(
  vine.create({
    rate: decimal(6),
    effective_from: vine.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  }),
  {
    'rate.regex': 'Enter the taka for one dollar, such as 122.50.',
    effective_from: 'day',
    'effective_from.regex': 'Enter the start date.',
  }
)

export const billingSettingsValidator = withMessages(
  vine.create({
    merchant_account: vine
      .string()
      .trim()
      .maxLength(100)
      .regex(/^[+\d][\d -]{2,39}$/),
    seller_name: line(200),
    seller_address: vine.string().trim().maxLength(500).nullable().optional(),
    // Percent that stands in all prices already.
    seller_vat: decimal(2).nullable().optional(),
    seller_bin: vine
      .string()
      .trim()
      .regex(/^\d{13}$/)
      .nullable()
      .optional(),
  }),
  {
    'merchant_account.regex': 'Enter the mobile number that people send money to.',
    'seller_vat.regex': 'Enter the percentage of VAT, such as 15.',
    'seller_bin.regex': 'Enter the 13 digits of the BIN.',
  }
)

/** The number of an Auto Courier bill there; printable, so that it can be read out. */
const courierName = () =>
  vine
    .string()
    .maxLength(100)
    .regex(/^[\x21-\x7e]+$/)

export const courierBillValidator = withMessages(
  vine.create({ bill: courierName(), user: line(200), amount: decimal(2) }),
  {
    'bill.regex': 'Use letters, digits and symbols without spaces for the bill.',
    'amount.regex': 'Send the amount in taka as a string, such as "1500.50".',
  }
)

export const courierPaymentValidator = withMessages(
  vine.create({
    bill: courierName(),
    account_number: line(40).regex(/^[+\d][\d -]{2,39}$/),
    trx_id: trxId(),
    reference: vine.string().trim().maxLength(100).nullable().optional(),
  }),
  {
    'bill.regex': 'Use letters, digits and symbols without spaces for the bill.',
    'account_number.regex': 'Send the mobile number that the money was sent from.',
    'trx_id.regex': 'Enter letters and digits only.',
  }
)

export const courierWebhookUrlValidator = withMessages(
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

export const statementUploadValidator = withMessages(vine.create({ operator: line(40) }))

/** A place in the head, from 0 on; -1 for none. */
const column = (least: number) =>
  vine.number({ strict: true }).withoutDecimals().range([least, 200])

export const statementColumnsValidator = withMessages(
  vine.create({
    trx_id: column(0),
    amount: column(0),
    account: column(-1),
    at: column(-1),
    direction: column(-1),
    status: column(-1),
  }),
  {
    'trx_id.range': 'Choose the column of the transaction ID.',
    'amount.range': 'Choose the column of the amount.',
  }
)
