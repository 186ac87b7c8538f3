export type { CustomerPage, CustomerRow } from '#accounts/transformers/pages'
