import { respond } from '#core/action_response'
import type Operation from '#core/models/operation'
import type { HttpContext } from '@adonisjs/core/http'

/** Sends 202 with the operation's id (docs/product.md, "Answers of calls"). */
export function respondWithOperation(
  ctx: HttpContext,
  operation: Operation,
  message: string,
  data: Record<string, unknown> = {}
): void {
  respond(ctx, { message, status: 202, data: { ...data, operation_id: operation.id } })
}
