import { type CourierEventState, courierEventStates } from '#auto_courier/event_states'
import type { CourierEventRow } from '#auto_courier/transformers/page_props'
import { startsWith, type ListDefinition, queryListPage, type ListRequest } from '#core/list_page'
import db from '@adonisjs/lucid/services/db'

export const courierEventListDefinition: ListDefinition = {
  statuses: courierEventStates,
  statusColumn: 'state',
  sorts: { at: 'e.created_at' },
  ties: 'e.created_at desc, e.id',
  search: startsWith('external_id', 'trx_id'),
}

interface EventRow {
  id: string
  bill_id: number
  external_id: string
  type: string
  state: CourierEventState
  created_at: Date
  next_at: Date
}

export async function listCourierEvents(list: ListRequest) {
  const events = db
    .from('courier_events as e')
    .join('bills', 'bills.id', 'e.bill_id')
    .select('e.id', 'e.bill_id', 'external_id', 'e.type', 'e.state', 'e.created_at', 'e.next_at')
  const { rows, ...facts } = await queryListPage<EventRow>(events, list, courierEventListDefinition)
  const attempts = await db
    .from('courier_attempts')
    .whereIn(
      'event_id',
      rows.map(({ id }) => id)
    )
    .orderBy('id', 'desc')
  return { ...facts, events: rows.map((row) => eventRow(row, attempts)) }
}

interface Attempt {
  event_id: string
  at: Date
  status: number | null
  answer: string
  took_ms: number
}

function eventRow(row: EventRow, attempts: Attempt[]): CourierEventRow {
  const { id, type, state, external_id: bill, bill_id } = row
  return {
    id,
    type,
    state,
    bill,
    bill_id,
    at: row.created_at.toISOString(),
    next_at: state === 'waiting' ? row.next_at.toISOString() : null,
    attempts: attempts
      .filter(({ event_id: of }) => of === id)
      .map(({ at, status, answer, took_ms }) => ({
        at: at.toISOString(),
        status,
        answer,
        took_ms,
      })),
  }
}
