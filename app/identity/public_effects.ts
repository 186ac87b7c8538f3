export { signOutEverywhere } from '#identity/actions/sign_in_and_out'
export { listLatestAuditEntries } from '#identity/queries/audit_log'
/** The terminal gateway runs no middleware, so it needs this class to set the actor. */
export { default as ActorMiddleware } from '#identity/middleware/actor_middleware'
