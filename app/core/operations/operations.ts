import Operation from '#core/models/operation'
import { publish, publishAll } from '#core/live/live_events'
import type { OperationQueue } from '#core/operations/queues'
import { conflict } from '#core/app_error'
import { storableText } from '#core/storable_text'
import { currentTraceContext } from '#packages/telemetry/trace_context'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

export const OPERATIONS_DUE_TOPIC = 'operations:due'

export interface StepContext {
  operation: Operation
  /** Values that earlier steps saved, or that this step saved before an interruption. */
  state: Record<string, unknown>
  /** Saves a value immediately, so that it survives a restart. */
  saveState(key: string, value: unknown): Promise<void>
  /** Shows `note` at the step. `progress` is 0 to 1, if known. */
  reportProgress(note: string, progress?: number): Promise<void>
  /**
   * Aborted by a cancellation, when the process stops, or when it loses the operation's lock. In the last two cases,
   * a worker repeats the step.
   */
  signal: AbortSignal
  /**
   * Aborted when another worker may take over the operation. Save nothing after that. Unlike `signal`, a
   * cancellation does not abort it.
   */
  stopSignal: AbortSignal
  /**
   * From this call on, the operation can no longer be cancelled. Call it just before the first change that must not
   * remain incomplete.
   * @throws if someone has already requested cancellation
   */
  commitPoint(): Promise<void>
}

/**
 * Thrown by a step that must wait for long. People see the message. The operation frees its worker slot, and the
 * step runs again later.
 */
export class RetryLater extends Error {
  /** @param after delay in milliseconds */
  constructor(
    message: string,
    readonly after = 2_000
  ) {
    super(message)
  }
}

export interface Step<Input> {
  key: string
  label: string
  /** Must be safe to run again after an interruption at any point. */
  run(input: Input, context: StepContext): Promise<void>
}

/** An operation without the code of its steps, so that code that starts it need not import them. */
export interface OperationOutline<Input> {
  /** Dotted, noun first: `instance.provision`. */
  kind: string
  queue: OperationQueue
  /**
   * Version of steps and input. Default 1. Increase it after a change that operations started earlier could not
   * continue with.
   */
  version?: number
  upgrade?(operation: Operation): void
  steps: readonly Pick<Step<Input>, 'key' | 'label'>[]
  /** Whether people can cancel the operation before it calls `commitPoint`. */
  cancellable?: boolean
  result?(input: Input, context: StepContext): Promise<Record<string, unknown>>
  /**
   * Cleans up after a step failed permanently or the operation was cancelled. Must be safe to run again. If it throws
   * `RetryLater`, `failed` runs again later, and only then does the operation fail.
   */
  failed?(input: Input, reason: string, context: StepContext): Promise<void>
}

export interface OperationKind<Input> extends OperationOutline<Input> {
  steps: Step<Input>[]
}

const kinds = new Map<string, OperationKind<never>>()

/**
 * The module must also list the kind in `module.ts`.
 * @throws Error if another operation has this kind
 */
export function defineOperation<Input extends object>(
  definition: OperationKind<Input>
): OperationKind<Input> {
  if (kinds.has(definition.kind)) throw new Error(`Two operations have the kind ${definition.kind}`)
  kinds.set(definition.kind, definition as OperationKind<never>)
  return definition
}

/** @throws if the kind is not defined */
export function getOperationKind(name: string): OperationKind<Record<string, unknown>> {
  const kind = findOperationKind(name)
  if (!kind) throw new Error(`No operation is called ${name}`)
  return kind
}

/** Returns undefined for an unknown kind: during an upgrade, only the other release may define it. */
export function findOperationKind(
  name: string
): OperationKind<Record<string, unknown>> | undefined {
  return kinds.get(name) as unknown as OperationKind<Record<string, unknown>> | undefined
}

export interface StartOperationOptions {
  title: string
  /** The account whose members see the operation. `null`: staff only. */
  accountId: number | null
  subject: { type: string; id: number | string }
  /** The operation becomes due when this transaction commits. Default: immediately. */
  trx?: TransactionClientContract
}

/** The HTTP response should contain the operation's id immediately, because the page shows its progress live. */
export async function startOperation<Input extends object>(
  definition: OperationOutline<Input>,
  input: Input,
  { title, accountId, subject, trx }: StartOperationOptions
): Promise<Operation> {
  const operation = new Operation()
  const context = currentTraceContext()
  const origin = context?.isRequest ? context : undefined
  if (trx) operation.useTransaction(trx)
  operation.merge({
    id: randomUUID(),
    kind: definition.kind,
    version: definition.version ?? 1,
    queue: definition.queue,
    title,
    accountId,
    subjectType: subject.type,
    subjectId: String(subject.id),
    input: input as Record<string, unknown>,
    state: {},
    steps: definition.steps.map(({ key, label }) => ({ key, label, status: 'waiting' as const })),
    status: 'queued',
    cancel: definition.cancellable ? 'possible' : 'no',
    createdAt: DateTime.utc(),
    dueAt: DateTime.utc(),
    attempts: 0,
    machineId: null,
    requestId: origin?.id ?? null,
    requestSpan: origin?.span ?? null,
  })
  await operation.save()
  await publishOperation(operation, trx, [OPERATIONS_DUE_TOPIC])
  return operation
}

/**
 * The worker then aborts the current step and runs `failed` to clean up.
 * @throws 409 if the operation has ended or cannot be cancelled
 */
export async function cancelOperation(operation: Operation): Promise<void> {
  const cancelled = await Operation.query()
    .where({ id: operation.id, cancel: 'possible' })
    .whereIn('status', ['queued', 'running'])
    .update({ cancel: 'asked', dueAt: DateTime.utc().toSQL() })
  if (Number(cancelled[0]) === 0) throw conflict('This operation can no longer be cancelled.')
  await publishOperation(operation, undefined, [OPERATIONS_DUE_TOPIC])
}

export async function publishOperation(
  operation: Operation,
  trx?: TransactionClientContract,
  others: string[] = []
): Promise<void> {
  const { id, accountId: owner, subjectType, subjectId } = operation
  const topics = [`operation:${id}`, `${subjectType}:${subjectId}`, ...others]
  await publishAll(topics, { owner, trx })
}

export function publishProgress({ id, accountId: owner }: Operation): Promise<void> {
  return publish(`operation:${id}`, { owner })
}

const MAX_OUTPUT_LINES = 200
const MAX_OUTPUT_LINE_LENGTH = 500
const MAX_OUTPUT_BYTES = 32 * 1024

/** Appends lines to `Operation.output`. Above the limit, removes the oldest lines. */
export function recordOutput(
  { operation, saveState }: Pick<StepContext, 'operation' | 'saveState'>,
  lines: string[]
): Promise<void> {
  const cut = lines.map((line) => storableText(line, MAX_OUTPUT_LINE_LENGTH))
  return saveState('output', newestOutput(operation.output.concat(cut)))
}

function newestOutput(lines: string[]): string[] {
  const output = lines.slice(-MAX_OUTPUT_LINES)
  let bytes = output.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
  while (bytes > MAX_OUTPUT_BYTES) bytes -= Buffer.byteLength(output.shift()!)
  return output
}

/** Newest first. */
export function listOperationsOfSubject(
  type: string,
  id: number | string,
  limit = 1,
  trx?: TransactionClientContract
): Promise<Operation[]> {
  return Operation.query({ client: trx })
    .where({ subjectType: type, subjectId: String(id) })
    .orderBy('createdAt', 'desc')
    .limit(limit)
}
