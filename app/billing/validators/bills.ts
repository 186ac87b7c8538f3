import { documentLanguages, type DocumentLanguage } from '#billing/documents/localized_format'
import { MAX_TERM_LENGTH } from '#billing/statements/statement_row'
import { billMailTypes, type BillMailType } from '#billing/statuses'
import {
  decimalSchema,
  requiredTextSchema,
  mobileAccountSchema,
  receiptNumberSchema,
  referenceSchema,
  transactionIdSchema,
  transferAmountSchema,
} from '#billing/validators/fields'
import { currencyName } from '#core/settings/regional_settings'
import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

const NO_TRANSACTION_ID = 'Enter only the transaction ID, such as 8N7A2B3C4D.'

/** Amounts are the taka that the customer sent, including the fee. */
export const paymentClaimValidator = withMessages(
  vine.create({
    account_number: mobileAccountSchema(),
    reference: referenceSchema(),
    trx_id: transactionIdSchema().optional().requiredIfMissing('parts'),
    amount: transferAmountSchema().optional(),
    parts: vine
      .array(vine.object({ trx_id: transactionIdSchema(), amount: transferAmountSchema() }))
      .minLength(1)
      .maxLength(20)
      .optional(),
  }),
  {
    trx_id: 'transaction ID',
    'parts.*.trx_id': 'transaction ID',
    'parts.*.amount': 'amount',
    'account_number.regex': 'Enter the mobile number that you sent the money from.',
    'trx_id.regex': NO_TRANSACTION_ID,
    'parts.*.trx_id.regex': NO_TRANSACTION_ID,
    get 'amount.regex'() {
      return `Enter the amount in ${currencyName()}, such as 1500.50.`
    },
    get 'parts.*.amount.regex'() {
      return `Enter the amount in ${currencyName()}, such as 1500.50.`
    },
  }
)

export const billDocumentValidator = withMessages(
  vine.create({
    language: vine.enum(Object.keys(documentLanguages) as DocumentLanguage[]).optional(),
    number: vine.string().maxLength(40).optional(),
  })
)

/** `amount`: taka per month. If it is `null` or missing, the alert is removed. */
export const spendingAlertValidator = withMessages(
  vine.create({ amount: decimalSchema(2).nullable().optional() }),
  {
    get 'amount.regex'() {
      return `Enter the amount in ${currencyName()}, such as 5000.`
    },
  }
)

/**
 * `sum`: taka that staff approve. Required if a statement shows another amount than the reported
 * one.
 */
export const paymentApprovalValidator = withMessages(
  vine.create({ sum: decimalSchema(2).optional() }),
  { 'sum.regex': 'Enter the amount with at most 2 decimals.' }
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

/** `amount` is in dollars. */
export const creditRefundValidator = withMessages(
  vine.create({ amount: decimalSchema(6), trx_id: transactionIdSchema() }),
  {
    trx_id: 'transaction ID',
    'amount.regex': 'Enter the amount in dollars, such as 4.50.',
    'trx_id.regex': NO_TRANSACTION_ID,
  }
)

export const billReductionValidator = withMessages(
  vine.create({ amount: decimalSchema(6).optional(), note: requiredTextSchema(500) }),
  { 'amount.regex': 'Enter the amount in dollars, such as 4.50.' }
)

/** `amount` is in the currency that customers pay in. A method's payments have different `reference`s. */
export const enteredPaymentValidator = withMessages(
  vine.create({
    method: vine.enum(['cash', 'bank'] as const),
    amount: transferAmountSchema(),
    date: vine.string().regex(/^\d{4}-\d{2}-\d{2}$/),
    reference: receiptNumberSchema(),
    note: vine.string().trim().maxLength(500).nullable().optional(),
  }),
  {
    date: 'day',
    'date.regex': 'Enter the day of the payment.',
    'reference.regex':
      'Enter the number of the receipt or transfer: 4 to 35 letters, digits and hyphens.',
    get 'amount.regex'() {
      return `Enter the amount in ${currencyName()}, such as 1500.50.`
    },
  }
)

export const statementLineMatchValidator = withMessages(
  vine.create({ bill: requiredTextSchema(100) })
)

export const dollarRateValidator = withMessages(
  vine.create({
    rate: decimalSchema(6),
    effective_from: vine.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  }),
  {
    get 'rate.regex'() {
      return `Enter the ${currencyName()} for one dollar, such as 122.50.`
    },
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
    seller_name: requiredTextSchema(200),
    seller_address: vine.string().trim().maxLength(500).nullable().optional(),
    // VAT in percent. All prices include it.
    seller_vat: decimalSchema(2).nullable().optional(),
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

const price = () => decimalSchema(6)
const PRICE_MESSAGE = 'Enter dollars such as 0.15, with at most 6 decimals.'

/** `rate` is the price of a dollar in a new currency. Prices for usage are in dollars. */
export const regionalSettingsValidator = withMessages(
  vine.create({
    currency: vine
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/),
    symbol: vine
      .string()
      .trim()
      .maxLength(6)
      .regex(/^[\p{L}\p{M}\p{Sc}.]+$/u),
    digits: vine.number().withoutDecimals().range([0, 2]),
    rate: decimalSchema(6).nullable().optional(),
    time_zone: vine.string().trim().maxLength(64),
    fee_percent: decimalSchema(2),
    days_to_pay: vine.number().withoutDecimals().range([1, 90]),
    prices: vine.object({ storage: price(), bandwidth: price(), request: price(), mail: price() }),
  }),
  {
    digits: 'decimal places',
    days_to_pay: 'days',
    'currency.regex': 'Enter the three letters of the currency, such as EUR.',
    'symbol.regex': 'Use only letters, dots and currency signs, such as € or CHF.',
    'rate.regex': 'Enter the price of one dollar, such as 0.92.',
    'prices.storage.regex': PRICE_MESSAGE,
    'prices.bandwidth.regex': PRICE_MESSAGE,
    'prices.request.regex': PRICE_MESSAGE,
    'prices.mail.regex': PRICE_MESSAGE,
    'fee_percent.regex': 'Enter the percentage, such as 1.75, or 0 for no fee.',
  }
)

export const statementUploadValidator = withMessages(
  vine.create({ operator: requiredTextSchema(40) })
)

/** Column index from 0; -1 for none. */
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
    currency: column(-1).optional(),
  }),
  {
    'trx_id.range': 'Choose the column of the transaction ID.',
    'amount.range': 'Choose the column of the amount.',
  }
)

export const statementTermsValidator = withMessages(
  vine.create({
    terms: vine
      .array(
        vine.object({
          column: vine.enum(['status', 'direction'] as const),
          // An empty term arrives as null, because the body parser converts empty strings.
          term: vine
            .string()
            .maxLength(MAX_TERM_LENGTH)
            .nullable()
            .transform((term) => term ?? ''),
          counts: vine.boolean({ strict: true }).nullable(),
        })
      )
      .maxLength(200)
      .optional(),
  })
)
