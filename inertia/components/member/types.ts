import type { MembersPage as Page } from '#accounts/transformers/page_props'

export type MembersPage = Page
export type Member = Page['members'][number]
export type MemberRole = Member['role']
