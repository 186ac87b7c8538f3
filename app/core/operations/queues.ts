import { lockKeySql } from '#core/locks'
import { localMachineId } from '#core/local_host'
import db from '@adonisjs/lucid/services/db'

/**
 * Work of one lane never waits for work of another. `slots` run side by side in a worker, of which
 * one account has at most its `share`, however much it has asked for.
 */
export const OPERATION_QUEUES = {
  /** Calls on a host, which end by themselves: one account may use much of it while nobody waits. */
  machine: { slots: 8, share: 6 },
  /** Short commands in customers' instances, which can hang as long as they are allowed to. */
  guest: { slots: 8, share: 2 },
  /** Clones, builds and archives: minutes, at the pace of somebody else. */
  transfer: { slots: 8, share: 2 },
} as const satisfies Record<string, { slots: number; share: number }>

export type OperationQueue = keyof typeof OPERATION_QUEUES

/** The lock by which a worker has an operation. */
export const operationLockKey = (id: string) => `operation:${id}`

/**
 * What a worker may take up now, in turn: of each account the oldest first, and no account its second
 * before each other has its first. Work that any worker has counts towards the account's share; Berth's
 * own work has no share.
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
