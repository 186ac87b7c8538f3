/** Everything of core that the worker, pages and tests must know. */
import '#core/schedules/forget_mail_secrets'
import '#core/schedules/forget_operations'
import { addBadges } from '#core/badges'
import { countStuck } from '#core/queries/system'

addBadges(async (actor): Promise<Record<string, number>> =>
  actor.audience === 'staff' ? { '/admin/system': await countStuck() } : {}
)
