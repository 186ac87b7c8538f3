import type { DocumentLanguage } from '#billing/documents/localized_format'
import { sharedPdfRenderer } from '#billing/documents/pdf_renderer'
import {
  creditNotePdfContent,
  invoicePdfContent,
  receiptPdfContent,
} from '#billing/documents/pdf_content'
import type Bill from '#billing/models/bill'
import { listCreditNotes, loadChargesAndPayments } from '#billing/queries/bill_details'
import { notFound } from '#core/app_error'
import { loadDollarRate } from '#core/settings/dollar_rate'

export const documentKinds = ['invoice', 'receipt', 'credit-note'] as const

export type DocumentKind = (typeof documentKinds)[number]

/**
 * @param number number of the credit note
 * @throws 404 for a receipt without approved payments, and for an unknown credit note; 503 as
 *   `PdfRenderer.render`
 */
export async function renderBillDocument(
  bill: Bill,
  kind: DocumentKind,
  language: DocumentLanguage,
  number?: string
): Promise<{ name: string; pdf: Buffer }> {
  const [today, { charges, payments }] = await Promise.all([
    loadDollarRate(),
    loadChargesAndPayments(bill),
  ])
  const printing = { bill, language, today }
  if (kind === 'invoice') {
    return {
      name: bill.label,
      pdf: await sharedPdfRenderer.render(invoicePdfContent(printing, charges)),
    }
  }
  if (kind === 'receipt') {
    const approved = payments.filter(({ status }) => status === 'approved')
    if (!approved.length) throw notFound('receipt')
    return {
      name: `${bill.label}-receipt`,
      pdf: await sharedPdfRenderer.render(receiptPdfContent(printing, approved)),
    }
  }
  const credit = (await listCreditNotes(bill)).find((one) => one.number === number)
  if (!credit) throw notFound('credit note')
  return {
    name: credit.number,
    pdf: await sharedPdfRenderer.render(creditNotePdfContent(printing, credit)),
  }
}
