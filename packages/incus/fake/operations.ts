import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { OperationState } from '../operation.ts'
import type { FakeState } from './state.ts'

const RUNNING_CODE = 103
const SUCCESS_CODE = 200
const FAILURE_CODE = 400
const CANCELLED_CODE = 401

export function openOperation(
  state: FakeState,
  description: string,
  metadata: Record<string, unknown> | null = null,
  operationClass: OperationState['class'] = 'task'
): OperationState {
  const now = new Date().toISOString()
  const operation: OperationState = {
    id: randomUUID(),
    class: operationClass,
    description,
    created_at: now,
    updated_at: now,
    status: 'Running',
    status_code: RUNNING_CODE,
    resources: null,
    metadata,
    may_cancel: false,
    err: '',
  }
  state.operations.set(operation.id, operation)
  return operation
}

export function runningOperations(state: FakeState): OperationState[] {
  return [...state.operations.values()].filter(({ status_code: code }) => code === RUNNING_CODE)
}

export function finishOperation(
  state: FakeState,
  operation: OperationState,
  result: { error?: string; cancelled?: boolean; metadata?: Record<string, unknown> } = {}
): void {
  if (operation.status_code !== RUNNING_CODE) return
  const { error, cancelled } = result
  operation.status_code = cancelled ? CANCELLED_CODE : error ? FAILURE_CODE : SUCCESS_CODE
  operation.status = cancelled ? 'Cancelled' : error ? 'Failure' : 'Success'
  operation.err = error ?? ''
  if (result.metadata) operation.metadata = { ...operation.metadata, ...result.metadata }
  for (const wake of state.waiters.get(operation.id) ?? []) wake()
  state.waiters.delete(operation.id)
}

/** Responds with a running operation, and runs `work` after a short delay, as Incus does. */
export function startOperationAndRespond(
  state: FakeState,
  response: ServerResponse,
  description: string,
  work: () => Record<string, unknown> | void | Promise<Record<string, unknown> | void>,
  delay = 1
): void {
  const operation = openOperation(state, description)
  respondWithOperation(response, operation)
  setTimeout(async () => {
    try {
      finishOperation(state, operation, { metadata: (await work()) ?? undefined })
    } catch (error) {
      finishOperation(state, operation, { error: (error as Error).message })
    }
  }, delay)
}

export function respondWithOperation(response: ServerResponse, operation: OperationState): void {
  const path = `/1.0/operations/${operation.id}`
  response.writeHead(202, { 'content-type': 'application/json', location: path })
  const body = {
    type: 'async',
    status: 'Operation created',
    status_code: 100,
    operation: path,
    metadata: operation,
  }
  response.end(JSON.stringify(body))
}

/** Resolves when the operation ends, or when the timeout in seconds has passed (-1: no timeout). */
export async function waitForOperation(
  state: FakeState,
  operation: OperationState,
  seconds: number
): Promise<void> {
  if (operation.status_code !== RUNNING_CODE) return
  await new Promise<void>((resolve) => {
    const timer = seconds >= 0 ? setTimeout(resolve, seconds * 1000) : null
    const waiters = state.waiters.get(operation.id) ?? new Set()
    waiters.add(() => {
      if (timer) clearTimeout(timer)
      resolve()
    })
    state.waiters.set(operation.id, waiters)
  })
}
