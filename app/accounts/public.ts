/** What other domains may use of accounts. */
export { default as Account } from '#accounts/models/account'
export { lockAccount } from '#accounts/actions/lock_account'
export { onAccountResumed, onAccountSuspended } from '#accounts/hooks'
export { customersOf } from '#accounts/queries/customers'
export { customerName, customerWords } from '#accounts/queries/search'
export { chooseInstance, forgetChosen } from '#accounts/queries/memberships'
export { addThings, type Thing, thingsOf } from '#accounts/things'
