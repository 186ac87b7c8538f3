import { answer } from '#core/answers'
import type Operation from '#core/models/operation'
import type { HttpContext } from '@adonisjs/core/http'

/** Long work has begun: 202 with its id (product, "Answers of calls"). */
export function answerWork(
  ctx: HttpContext,
  operation: Operation,
  message: string,
  data: Record<string, unknown> = {}
): void {
  answer(ctx, { message, status: 202, data: { ...data, operation_id: operation.id } })
}
