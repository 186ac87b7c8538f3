import { type DocumentKind, renderBillDocument } from '#billing/documents/render_bill_document'
import { getBill } from '#billing/queries/bills'
import { billDocumentValidator } from '#billing/validators/bills'
import type { HttpContext } from '@adonisjs/core/http'

export default class DocumentsController {
  /**
   * Serves the PDFs `invoice.pdf?language=bn`, `receipt.pdf` and
   * `credit-note.pdf?number=C-2026-000001`.
   */
  async show(ctx: HttpContext) {
    const bill = await getBill(ctx.actor, ctx.params.id)
    const { language = 'en', number } = await billDocumentValidator.validate(ctx.request.qs())
    const kind = String(ctx.params.document).replace(/\.pdf$/, '') as DocumentKind
    const { name, pdf } = await renderBillDocument(bill, kind, language, number)
    const { response } = ctx
    response.header('content-type', 'application/pdf')
    response.header('content-disposition', `inline; filename="${name}-${language}.pdf"`)
    response.header('cache-control', 'private, no-store')
    response.send(pdf)
  }
}
