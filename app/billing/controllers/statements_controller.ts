import { statementCutOff, statementRejected, statementTooLarge } from '#billing/errors'
import {
  statementMatchListDefinition,
  loadStatementPage,
  listUnmatchedPayments,
  listMobileMoneyOperators,
  loadSampleRows,
  statementListDefinition,
  listStatements,
} from '#billing/queries/statements'
import {
  deleteStatement,
  startExactMatchApproval,
} from '#billing/statements/approve_matches_or_delete_statement'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { MAX_STATEMENT_BYTES } from '#billing/statements/read_table'
import { matchStates } from '#billing/statements/match_states'
import { storeStatement } from '#billing/statements/store_statement'
import { matchStatementLine } from '#billing/statements/match_line'
import {
  statementLineMatchValidator,
  statementColumnsValidator,
  statementTermsValidator,
  statementUploadValidator,
} from '#billing/validators/bills'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import { renderPage } from '#core/render_page'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import { receiveFile, drainBodyOnError } from '#core/upload'
import type { HttpContext } from '@adonisjs/core/http'
import { buffer } from 'node:stream/consumers'

/**
 * Serves statements of mobile money operators and banks. All staff can read them. Administrators
 * upload them, and approve payments that match them.
 */
export default class StatementsController {
  async index(ctx: HttpContext) {
    const [matches, missing, known] = await Promise.all([
      listStatements(parseListRequest(ctx, statementListDefinition)),
      listUnmatchedPayments(),
      listMobileMoneyOperators(),
    ])
    return renderPage(ctx, 'admin/billing/statements', {
      ...matches,
      operators: known,
      missing: missing.rows,
      missingCount: missing.count,
    })
  }

  async show(ctx: HttpContext) {
    const id = idOf(ctx.params.id)
    const { facts, operationId, ...page } = await loadStatementPage(
      id,
      parseListRequest(ctx, statementMatchListDefinition)
    )
    const operation = operationId && (await Operation.find(operationId))
    return renderPage(ctx, 'admin/billing/statement', {
      ...facts,
      ...page,
      matchStates,
      sample: await loadSampleRows(id),
      operation: operation ? operation.describe() : null,
    })
  }

  /**
   * Stores the file in the multipart field `file`, a statement of `operator`. Responds with the
   * statement's id in `data.statement.id`.
   */
  async store(ctx: HttpContext) {
    await drainBodyOnError(ctx, async () => {
      const stored = await receiveFile(ctx, {
        limit: MAX_STATEMENT_BYTES,
        tooLarge: statementTooLarge,
        cutOff: statementCutOff,
        missing: () => statementRejected('Choose the statement file.'),
        keep: async (bytes, filename) => ({ file: await buffer(bytes), filename }),
        discard: async () => {},
      })
      const { operator } = await statementUploadValidator.validate(ctx.request.body())
      const filename =
        stored.filename.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(-100) || 'statement.csv'
      const id = await storeStatement({ operator, filename, file: stored.file }, requesterOf(ctx))
      respond(ctx, { message: 'Statement uploaded.', data: { statement: { id } }, status: 201 })
    })
  }

  /** Saves column indexes, answers about terms (`terms`: `StatementTermChange[]`), or both. */
  async columns(ctx: HttpContext) {
    const body = ctx.request.body()
    const { terms } = await statementTermsValidator.validate(body)
    const isOnlyTerms = terms !== undefined && body.trx_id === undefined
    const columns = isOnlyTerms ? undefined : await statementColumnsValidator.validate(body)
    await saveColumnMapping(idOf(ctx.request.input('id')), { columns, terms }, requesterOf(ctx))
    respond(ctx, { message: 'Statement read.' })
  }

  /** `bill` is the bill's number or the partner's id of it. */
  async match(ctx: HttpContext) {
    const { bill } = await statementLineMatchValidator.validate(ctx.request.body())
    const lineId = parseRecordId(ctx.request.input('line_id'))
    if (!lineId) throw notFound('line')
    const { label } = await matchStatementLine(lineId, bill, requesterOf(ctx))
    respond(ctx, {
      message: `The transfer is matched with bill ${label}, which now awaits approval.`,
    })
  }

  async approve(ctx: HttpContext) {
    const operation = await startExactMatchApproval(idOf(ctx.request.input('id')), requesterOf(ctx))
    respond(ctx, {
      message: 'Approving the exact matches.',
      data: { operation: operation.describe() },
      status: 202,
    })
  }

  async destroy(ctx: HttpContext) {
    await deleteStatement(idOf(ctx.request.input('id')), requesterOf(ctx))
    respond(ctx, { message: 'Statement deleted.', to: '/admin/billing/statements' })
  }
}

function idOf(value: unknown): number {
  const id = parseRecordId(value)
  if (!id) throw notFound('statement')
  return id
}
