/** What other domains may use of accounts. */
export { default as Account } from '#accounts/models/account'
export { resumeAccount, suspendAccount } from '#accounts/actions/suspension'
export { listMemberEmails } from '#accounts/queries/members'
export { lockAccountRow } from '#accounts/actions/lock_account_row'
export { onAccountResumed, onAccountSuspended } from '#accounts/suspension_hooks'
export { loadCustomersById, OWNER_EMAIL_SQL } from '#accounts/queries/customers'
export {
  customerNameSql,
  customerSearchTextSql,
  customerSearchCondition,
} from '#accounts/queries/customer_search_sql'
export { saveDefaultInstance, clearDefaultInstance } from '#accounts/queries/memberships'
export {
  registerAccountResources,
  type AccountResourceRow,
  listAccountResources,
} from '#accounts/account_resources'
