/** Everything of accounts that the worker, pages and tests must know, and what they tell others. */
import '#accounts/founding'
import '#accounts/schedules/standing'
import { chooseInstance, membershipsOf } from '#accounts/queries/memberships'
import { memberships } from '#identity/public'

Object.assign(memberships, { of: membershipsOf, chooseInstance })
