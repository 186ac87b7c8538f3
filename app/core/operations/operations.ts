import Operation from '#core/models/operation'
import { publish, publishAll } from '#core/live/live_events'
import type { OperationQueue } from '#core/operations/queues'
import { conflict } from '#core/app_error'
import { currentTraceContext } from '#packages/telemetry/trace_context'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

/** Told when there is work that a worker may take up. */
export const OPERATIONS_DUE_TOPIC = 'operations:due'

/** What a step has at hand beside its input. */
export interface StepContext {
  operation: Operation
  /** What earlier steps (or this one, before it was interrupted) have put down. */
  state: Record<string, unknown>
  /** Puts down something that must survive a restart, at once. */
  saveState(key: string, value: unknown): Promise<void>
  /** Tells people how far it is: words, and a share from 0 to 1 where it is known. */
  reportProgress(note: string, progress?: number): Promise<void>
  /** Ends when the process stops (the step is then run again by another) or when it is cancelled. */
  signal: AbortSignal
  /**
   * From here on it cannot be cancelled: called right before the first change that is not to be left
   * half-way. Throws where somebody has asked for the end already.
   */
  commitPoint(): Promise<void>
}

/**
 * Thrown by a step that waits for something that may take long: people read its words, its place is
 * given to other work, and the step is run again after a while.
 */
export class RetryLater extends Error {
  /** @param after milliseconds until it is tried again */
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
  /** Must be able to run again after being cut off anywhere. */
  run(input: Input, context: StepContext): Promise<void>
}

export interface OperationKind<Input> {
  /** Dotted, noun first: `instance.provision`. */
  kind: string
  queue: OperationQueue
  /** Raised when steps or input change so that work of before cannot simply go on; 1 if left out. */
  version?: number
  /** Makes work that an earlier version has begun into work of this one. */
  upgrade?(operation: Operation): void
  steps: Step<Input>[]
  /** Whether people can end it, until a step calls `commitPoint`. */
  cancellable?: boolean
  /** What pages get when it is done. */
  result?(input: Input, context: StepContext): Promise<Record<string, unknown>>
  /** Called once when a step failed for good; must be able to run again, too. */
  failed?(input: Input, reason: string, context: StepContext): Promise<void>
}

const kinds = new Map<string, OperationKind<never>>()

/** Makes a kind of long work known to the worker. */
export function defineOperation<Input extends object>(
  definition: OperationKind<Input>
): OperationKind<Input> {
  if (kinds.has(definition.kind)) throw new Error(`Two operations are called ${definition.kind}`)
  kinds.set(definition.kind, definition as OperationKind<never>)
  return definition
}

/** The definition of a kind. Throws for one that nobody defined. */
export function getOperationKind(name: string): OperationKind<Record<string, unknown>> {
  const kind = kinds.get(name)
  if (!kind) throw new Error(`No operation is called ${name}`)
  return kind as unknown as OperationKind<Record<string, unknown>>
}

export interface StartOperationOptions {
  title: string
  /** Whose pages show it. */
  accountId: number | null
  subject: { type: string; id: number | string }
  /** The transaction in which the work becomes due. */
  trx?: TransactionClientContract
}

/**
 * Notes long work down and hands it to the worker, in the caller's transaction if there is one.
 * Its id can be answered at once; pages follow it live.
 */
export async function startOperation<Input extends object>(
  definition: OperationKind<Input>,
  input: Input,
  { title, accountId, subject, trx }: StartOperationOptions
): Promise<Operation> {
  const operation = new Operation()
  const origin = currentTraceContext()
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
 * Asks for the end of an operation; whoever runs it leaves the step that it is at and cleans up.
 * Throws 409 for one that is over or that cannot be cancelled.
 */
export async function cancelOperation(operation: Operation): Promise<void> {
  const cancelled = await Operation.query()
    .where({ id: operation.id, cancel: 'possible' })
    .whereIn('status', ['queued', 'running'])
    .update({ cancel: 'asked', dueAt: DateTime.utc().toSQL() })
  if (Number(cancelled[0]) === 0) throw conflict('This operation can no longer be cancelled.')
  await publishOperation(operation, undefined, [OPERATIONS_DUE_TOPIC])
}

/** Tells that an operation began, ended or is stuck: to who follows it, and what it is about. */
export async function publishOperation(
  operation: Operation,
  trx?: TransactionClientContract,
  others: string[] = []
): Promise<void> {
  const { id, accountId: owner, subjectType, subjectId } = operation
  const topics = [`operation:${id}`, `${subjectType}:${subjectId}`, ...others]
  await publishAll(topics, { owner, trx })
}

/** Tells who follows an operation how far it is. */
export function publishProgress({ id, accountId: owner }: Operation): Promise<void> {
  return publish(`operation:${id}`, { owner })
}

/** The newest operations about a thing, newest first. */
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
