import type { DocumentLanguage } from '#billing/documents/number_format'
import { pdfPrinter } from '#billing/documents/pdf_printer'
import { creditNoteModel, invoiceModel, receiptModel } from '#billing/documents/pdf_models'
import type Bill from '#billing/models/bill'
import { listCreditNotes, loadPartsAndCharges } from '#billing/queries/bill_details'
import { notFound } from '#core/app_error'
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
  const [today, { charges, payments }] = await Promise.all([
    dollarRate(),
    loadPartsAndCharges(bill),
  ])
  const printing = { bill, language, today }
  if (kind === 'invoice') {
    return { name: bill.label, pdf: await pdfPrinter.print(invoiceModel(printing, charges)) }
  }
  if (kind === 'receipt') {
    const approved = payments.filter(({ status }) => status === 'approved')
    if (!approved.length) throw notFound('receipt')
    return {
      name: `${bill.label}-receipt`,
      pdf: await pdfPrinter.print(receiptModel(printing, approved)),
    }
  }
  const credit = (await listCreditNotes(bill)).find((one) => one.number === number)
  if (!credit) throw notFound('credit note')
  return { name: credit.number, pdf: await pdfPrinter.print(creditNoteModel(printing, credit)) }
}
