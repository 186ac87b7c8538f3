import type { ControlHandlers } from '#packages/service/control_handler'
import type { ControlApi, DailyMailUsage } from './contract.js'
import type { ControlDeps } from './server.js'

const USAGE_COLUMNS = `sender_id as "senderId", account_id as "accountId", day, accepted, delivered, bounced, complained, opened`

export const QUEUE_STATUS_SQL = `select count(*) as waiting,
  coalesce(extract(epoch from now() - min(next_at) filter (where next_at <= now())), 0)::integer as oldest
  from mail.messages where state in ('scheduled', 'queued', 'sending')`

/** Handles calls about daily counts. Only `closedDays` omits Berth's own emails (sender 0). */
export function usageHandlers({
  database,
}: ControlDeps): Pick<
  ControlHandlers<ControlApi>,
  'figures' | 'sentCounts' | 'usage' | 'closedDays'
> {
  return {
    async figures() {
      const [queue, day] = await Promise.all([
        database.row<{ waiting: number; oldest: number }>(QUEUE_STATUS_SQL),
        database.row<Omit<DailyMailUsage, 'day' | 'senderId' | 'accountId' | 'opened'>>(
          `select ${['accepted', 'delivered', 'bounced', 'complained']
            .map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`)
            .join(', ')}
           from mail.usage where day = (now() at time zone 'UTC')::date`
        ),
      ])
      return { waiting: queue!.waiting, oldestDue: queue!.oldest, today: day! }
    },

    async sentCounts({ ids }) {
      const rows = await database.rows<{ id: number; month: string; accepted: number }>(
        `select sender_id as id, to_char(day, 'YYYY-MM') as month, sum(accepted)::bigint as accepted
         from mail.usage where sender_id = any ($1) group by 1, 2 order by 1, 2 desc`,
        [ids]
      )
      const counts: Record<string, Record<string, number>> = {}
      for (const { id, month, accepted } of rows) (counts[id] ??= {})[month] = accepted
      return counts
    },

    usage: ({ id, from, to }) =>
      database.rows<DailyMailUsage>(
        `select ${USAGE_COLUMNS} from mail.usage where sender_id = $1 and day between $2 and $3 order by day`,
        [id, from, to]
      ),

    closedDays: ({ after }) =>
      database.rows<DailyMailUsage>(
        `select ${USAGE_COLUMNS} from mail.usage
         where (day, sender_id) > ($1::date, $2::integer) and sender_id > 0
           and day < (now() at time zone 'UTC')::date
         order by day, sender_id limit 1000`,
        [after.day, after.senderId]
      ),
  }
}
