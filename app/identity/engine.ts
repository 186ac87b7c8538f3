export { signOutEverywhere } from '#identity/actions/sign_in_and_out'
export { listLatestAuditEntries } from '#identity/queries/audit_log'
/** Sets the actor where no middleware runs: in the terminal gateway. */
export { default as ActorMiddleware } from '#identity/middleware/actor_middleware'
