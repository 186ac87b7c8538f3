import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { AuditEntryView } from '#core/audit/entry'
import type { AccountStatus, MemberRole } from '#core/contracts/actor'
import type { Permission } from '#core/permission'
import type { AccountResourceRow } from '#accounts/account_resources'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/members': MembersPage
    'customer/invitation': InvitationPage
    'admin/customer/list': ListPage<CustomerRow>
    'admin/customer/details': CustomerPage
  }
}

export interface InvitationPage {
  invitation: { id: string; account: string; inviter: string; role: string }
}

export interface MemberView {
  id: number
  name: string
  email: string
  role: MemberRole
  since: string
  is_self: boolean
  can: { changeRole: Permission; remove: Permission }
}

export interface InvitationView {
  id: string
  email: string
  role: MemberRole
  expires_at: string
}

export interface MembersPage {
  account: { id: number; name: string; role: MemberRole }
  roles: Record<MemberRole, string>
  members: MemberView[]
  invitations: InvitationView[]
  invited: { id: string; account: string; inviter: string; role: MemberRole }[]
  canManage: Permission
}

export interface CustomerRow extends CustomerSummary {
  status: AccountStatus
  members: number
  since: string
}

export interface CustomerPage {
  customer: CustomerSummary & {
    status: AccountStatus
    status_reason: string | null
    since: string
    suspended_at: string | null
  }
  members: {
    id: number
    name: string
    email: string
    role: MemberRole
    disabled: boolean
    seen_at: string | null
  }[]
  things: { label: string; things: AccountResourceRow[] }[]
  notes: { id: number; author: string; text: string; at: string }[]
  log: AuditEntryView[]
}
