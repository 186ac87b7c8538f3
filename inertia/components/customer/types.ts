export type { CustomerPage, CustomerRow } from '#accounts/transformers/page_props'
