export { signOutEverywhere } from '#identity/actions/sign_in_and_out'
export { listLatestAuditEntries } from '#identity/queries/audit_log'
/** Exported for the terminal gateway, which runs no middleware and must set the actor itself. */
export { default as ActorMiddleware } from '#identity/middleware/actor_middleware'
