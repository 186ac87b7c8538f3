/** What other domains may use of accounts. */
export { default as Account } from '#accounts/models/account'
export { resumeAccount, suspendAccount } from '#accounts/actions/suspension'
export { listMemberEmails } from '#accounts/queries/members'
export { lockAccount } from '#accounts/actions/lock_account'
export { onAccountResumed, onAccountSuspended } from '#accounts/suspension_hooks'
export { loadCustomersById, OWNER_EMAIL_SQL as customerEmail } from '#accounts/queries/customers'
export {
  customerNameSql,
  customerSearchSql,
  customerMatchCondition,
} from '#accounts/queries/customer_search_sql'
export { saveDefaultInstance, clearDefaultInstance } from '#accounts/queries/memberships'
export {
  registerAccountResources,
  type AccountResource,
  listAccountResources,
} from '#accounts/account_resources'
