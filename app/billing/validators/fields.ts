import { findTransactionId, toPlainText, withoutThousandsSeparators } from '#billing/pasted_text'
import { parseTaka } from '#billing/statements/statement_amount'
import vine from '@vinejs/vine'

const parseText = (parse: (text: string) => string) => (value: unknown) =>
  typeof value === 'string' ? parse(value) : value

/** Parses an exact decimal with at most `places` decimals, also written as `1,500.50` or `১৫০০`. */
export const decimalSchema = (places: number) =>
  plainDecimalSchema(places, (text) => withoutThousandsSeparators(toPlainText(text)))

/** Parses the taka of a transfer, which can be written as `Tk. 1,500/-`. */
export const transferAmountSchema = () =>
  plainDecimalSchema(2, (text) => parseTaka(toPlainText(text))?.toFixed() ?? text)

const plainDecimalSchema = (places: number, parse: (text: string) => string) =>
  vine
    .string()
    .parse(parseText(parse))
    .maxLength(20)
    .regex(new RegExp(`^\\d{1,11}(\\.\\d{1,${places}})?$`))

/** Accepts a transaction ID as the operator writes it, or the operator's whole message. */
export const transactionIdSchema = () =>
  vine
    .string()
    .parse(parseText((text) => findTransactionId(text) ?? toPlainText(text)))
    .maxLength(MAX_MESSAGE_LENGTH)
    .regex(/^[A-Z0-9-]{4,40}$/)

/**
 * Parses a receipt number or bank reference. Replaces spaces and `/ . _` by `-`: `MR/2026/0012` becomes
 * `MR-2026-0012`.
 */
export const receiptNumberSchema = () =>
  vine
    .string()
    .parse(
      parseText((text) =>
        toPlainText(text)
          .toUpperCase()
          .replace(/[ /._]+/g, '-')
      )
    )
    .regex(/^[A-Z0-9-]{4,35}$/)

/** Long enough for an operator's message about a payment. */
const MAX_MESSAGE_LENGTH = 1_000

export const requiredTextSchema = (max: number) => vine.string().trim().minLength(1).maxLength(max)

export const mobileAccountSchema = () =>
  requiredTextSchema(40)
    .parse(parseText(toPlainText))
    .regex(/^[+\d][\d -]{2,39}$/)

export const referenceSchema = () => vine.string().trim().maxLength(100).nullable().optional()
