import { lockKeySql } from '#core/locks'
import { localMachineId } from '#core/local_host'
import db from '@adonisjs/lucid/services/db'

/**
 * Queues of operations. A full queue does not delay the others. Each worker runs up to `slots` operations of a
 * queue at once. All workers together run at most `share` operations of one account in a queue, not
 * counting those that only another machine can run.
 */
export const OPERATION_QUEUES = {
  /** Calls to a host. Their duration is limited, so one account may use most slots. */
  machine: { slots: 8, share: 6 },
  /** Short commands in customers' instances. They can hang until their timeout. */
  guest: { slots: 8, share: 2 },
  /** Clones, builds and archives. They take minutes, because external servers limit their speed. */
  transfer: { slots: 8, share: 2 },
} as const satisfies Record<string, { slots: number; share: number }>

export type OperationQueue = keyof typeof OPERATION_QUEUES

export const operationLockKey = (id: string) => `operation:${id}`

/**
 * Accounts take turns. Of each account, the operation that has been due longest comes first. Running operations count
 * towards the account's share. Operations of Berth itself have no such limit.
 */
export async function listDueOperationIds(queue: OperationQueue, free: number): Promise<string[]> {
  const { rows } = await db.rawQuery<{ rows: { id: string }[] }>(
    `with held as materialized (
       select (classid::bigint << 32) | objid::bigint as number from pg_locks
       where locktype = 'advisory' and objsubid = 1
         and database = (select oid from pg_database where datname = current_database())
     ), due as (
       select id, account_id, due_at,
         exists (select from held where number = ${lockKeySql(`'operation:' || id`)}) as held
       from operations
       where status in ('queued', 'running') and lane = :lane and due_at <= now()
         and (machine_id is null or machine_id = :machine)
     ), turns as (
       select id, account_id, due_at, held,
         sum(held::int) over (partition by account_id) +
           row_number() over (partition by account_id, held order by due_at, id) as turn
       from due
     )
     select id from turns
     where not held and (account_id is null or turn <= :share)
     order by turn, due_at
     limit :free`,
    { lane: queue, free, share: OPERATION_QUEUES[queue].share, machine: localMachineId() }
  )
  return rows.map(({ id }) => id)
}
