import { statementCutOff, statementRefused, statementTooLarge } from '#billing/errors'
import {
  matchList,
  matchPage,
  missingPayments,
  operators,
  sampleRows,
  statementList,
  statementPage,
} from '#billing/queries/statements'
import { deleteStatement, startApproval } from '#billing/statements/approve'
import { mapStatement } from '#billing/statements/map'
import { MAX_STATEMENT_BYTES } from '#billing/statements/read'
import { matchStates } from '#billing/statements/states'
import { storeStatement } from '#billing/statements/store'
import { columnsForm, statementForm } from '#billing/validators/bills'
import { answer } from '#core/answers'
import { listRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import { renderPage } from '#core/page'
import { recordId } from '#core/record_id'
import { notFound } from '#core/refusal'
import { receiveFile, takeUpload } from '#core/upload'
import type { HttpContext } from '@adonisjs/core/http'
import { buffer } from 'node:stream/consumers'

/** Statements of operators: read by all staff; administrators hand them in and approve by them. */
export default class StatementsController {
  async index(ctx: HttpContext) {
    const [found, missing, known] = await Promise.all([
      statementPage(listRequest(ctx, statementList)),
      missingPayments(),
      operators(),
    ])
    return renderPage(ctx, 'admin/billing/statements', {
      ...{ ...found, operators: known, missing: missing.rows, missingCount: missing.count },
    })
  }

  async show(ctx: HttpContext) {
    const id = idOf(ctx.params.id)
    const { facts, operationId, ...page } = await matchPage(id, listRequest(ctx, matchList))
    const operation = operationId && (await Operation.find(operationId))
    return renderPage(ctx, 'admin/billing/statement', {
      ...{ ...facts, ...page, matchStates, sample: await sampleRows(id) },
      operation: operation ? operation.describe() : null,
    })
  }

  /** Multipart `file`, `operator`: `data.statement` with its id. */
  async store(ctx: HttpContext) {
    await takeUpload(ctx, async () => {
      const kept = await receiveFile(ctx, {
        limit: MAX_STATEMENT_BYTES,
        tooLarge: statementTooLarge,
        cutOff: statementCutOff,
        missing: () => statementRefused('Choose the statement file.'),
        keep: async (bytes, filename) => ({ file: await buffer(bytes), filename }),
        discard: async () => {},
      })
      const { operator } = await statementForm.validate(ctx.request.body())
      const filename = kept.filename.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(-100) || 'statement.csv'
      const id = await storeStatement({ operator, filename, file: kept.file }, by(ctx))
      answer(ctx, { message: 'Statement uploaded.', data: { statement: { id } }, status: 201 })
    })
  }

  /** `{ id, trx_id, amount, account, at, direction, status }`: places of columns. */
  async columns(ctx: HttpContext) {
    const columns = await columnsForm.validate(ctx.request.body())
    await mapStatement(idOf(ctx.request.input('id')), columns, by(ctx))
    answer(ctx, { message: 'Statement read.' })
  }

  /** `{ id }` */
  async approve(ctx: HttpContext) {
    const operation = await startApproval(idOf(ctx.request.input('id')), by(ctx))
    answer(ctx, {
      message: 'Approving exact matches.',
      data: { operation: operation.describe() },
      status: 202,
    })
  }

  /** `{ id }` */
  async destroy(ctx: HttpContext) {
    await deleteStatement(idOf(ctx.request.input('id')), by(ctx))
    answer(ctx, { message: 'Statement deleted.', to: '/admin/billing/statements' })
  }
}

function idOf(value: unknown): number {
  const id = recordId(value)
  if (!id) throw notFound('statement')
  return id
}

const by = ({ actor, request }: HttpContext) => ({ actor: actor!, ip: request.ip() })
