/** What other domains may use of identity. */
export { default as Person } from '#identity/models/person'
export {
  can,
  demand,
  demandActive,
  demandOfStaff,
  staffPermission,
} from '#identity/policies/abilities'
export type { Actor } from '#core/contracts/actor'
export { defaultInstance } from '#identity/default_instance'
export { accessTopic } from '#core/live/live_events'
export { signOutEverywhere } from '#identity/actions/devices'
export { actorOf, memberships } from '#identity/actor'
export { auditRows } from '#identity/queries/activity'
export { email, line } from '#identity/validators/sign_in'
/** Finds out who acts where there is no middleware: the terminal gateway. */
export { default as ActorMiddleware } from '#identity/middleware/actor_middleware'
