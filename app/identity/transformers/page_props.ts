import type { AuditEntryView } from '#core/audit/entry'
import type { ColorScheme, StaffRole } from '#core/contracts/actor'
import type {
  DashboardCount,
  OnboardingStep,
  AttentionItem,
  DashboardSection,
} from '#core/contracts/menu_and_dashboard'
import type { ListPage } from '#core/page_props'

declare module '#core/page_props' {
  interface Pages {
    landing: {}
    'customer/login': LoginPage
    'admin/login': LoginPage
    'customer/dashboard': CustomerDashboardPage
    'admin/dashboard': AdminDashboardPage
    'customer/profile': ProfilePage & AuditEntryListPage
    'admin/profile': ProfilePage & AuditEntryListPage
    'admin/staff/list': StaffListPage
    'admin/audit/list': AuditLogPage
  }
}

/** The modes of sign-in (product, "People"). */
export type LoginState = 'login' | 'send_otp' | 'match_otp' | 'check_mail'

export interface LoginPage {
  loginState: LoginState
  /** What `?action=` says. */
  action: string | null
  email: string
  /** Opaque; sent along with the OTP, as specified. */
  userId: string | null
  /** ISO time from which another OTP can be sent. */
  resendAt: string | null
  /** Why Google cannot be used; null where it can. */
  googleReason: string | null
  /** For a form that is submitted before the page's scripts have loaded. */
  csrfToken: string
}

export interface CustomerDashboardPage {
  counts: DashboardCount[]
  /** What somebody new does first; none once it is done. */
  steps: OnboardingStep[]
  overview: DashboardSection[]
}

export interface AdminDashboardPage {
  /** What waits for staff, the worst first. */
  needs: AttentionItem[]
  /** True, or why this person cannot manage staff. */
  manage: true | string
}

export interface ProfilePage {
  profile: {
    name: string
    email: string
    title: string | null
    role: StaffRole | null
    colorScheme: ColorScheme
    default_instance_id: number | null
    hasPassword: boolean
  }
  /** What can be made the default instance; customers only. */
  instances: { id: number; name: string }[]
  /** The address that waits for its OTP. */
  pendingEmail: string | null
  devices: DeviceRow[]
}

export interface DeviceRow {
  id: string
  /** "Firefox on Linux" */
  name: string
  ip: string
  since: string
  seenAt: string
  /** The browser that shows the page. */
  current: boolean
}

/** A page of the audit log. */
export type AuditEntryListPage = ListPage<AuditEntryView>

/** The audit log of staff, with whom it can be filtered by. */
export interface AuditLogPage extends AuditEntryListPage {
  people: { value: string; label: string }[]
}

export interface StaffListPage extends ListPage<StaffRow> {
  /** True, or why this person cannot invite. */
  invite: true | string
}

export interface StaffRow {
  id: number
  name: string
  email: string
  title: string | null
  role: StaffRole
  status: 'active' | 'invited' | 'disabled'
  /** True, or why not. */
  can: Record<'edit' | 'changeRole' | 'disable' | 'enable' | 'inviteAgain', true | string>
}
