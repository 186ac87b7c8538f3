import type { DocumentLanguage } from '#billing/documents/figures'
import { printer } from '#billing/documents/print'
import { creditSheet, invoiceSheet, receiptSheet } from '#billing/documents/sheets'
import type Bill from '#billing/models/bill'
import { creditNotes, partsAndCharges } from '#billing/queries/details'
import { notFound } from '#core/refusal'
import { dollarRate } from '#core/settings/dollar_rate'

/** What can be printed of a bill, as addresses name it. */
export const documentKinds = ['invoice', 'receipt', 'credit-note'] as const

export type DocumentKind = (typeof documentKinds)[number]

/**
 * A bill's document as PDF. Throws 404 for a receipt of what nobody paid, and for a credit note that there
 * is not.
 * @param number of the credit note
 */
export async function printDocument(
  bill: Bill,
  kind: DocumentKind,
  language: DocumentLanguage,
  number?: string
): Promise<{ name: string; pdf: Buffer }> {
  const [today, { charges, payments }] = await Promise.all([dollarRate(), partsAndCharges(bill)])
  const printing = { bill, language, today }
  if (kind === 'invoice') {
    return { name: bill.label, pdf: await printer.print(invoiceSheet(printing, charges)) }
  }
  if (kind === 'receipt') {
    const approved = payments.filter(({ status }) => status === 'approved')
    if (!approved.length) throw notFound('receipt')
    return {
      name: `${bill.label}-receipt`,
      pdf: await printer.print(receiptSheet(printing, approved)),
    }
  }
  const credit = (await creditNotes(bill)).find((one) => one.number === number)
  if (!credit) throw notFound('credit note')
  return { name: credit.number, pdf: await printer.print(creditSheet(printing, credit)) }
}
