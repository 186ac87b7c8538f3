import type { MembersPage as Page } from '#accounts/transformers/pages'

export type MembersPage = Page
export type Member = Page['members'][number]
export type MemberRole = Member['role']
