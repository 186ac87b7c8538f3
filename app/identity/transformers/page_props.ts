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
  interface PagePropsByFile {
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

/** Modes of the sign-in page (docs/product.md, "People"). */
export type LoginState = 'login' | 'send_otp' | 'match_otp' | 'check_mail'

export interface LoginPage {
  loginState: LoginState
  action: string | null
  email: string
  /** Opaque id, sent along with the OTP as specified. */
  userId: string | null
  /** ISO time from which another OTP can be sent. */
  resendAt: string | null
  /** Reason why Google sign-in is unavailable; null if it works. */
  googleReason: string | null
  /** Token for a form that is submitted before the page's scripts have loaded. */
  csrfToken: string
}

export interface CustomerDashboardPage {
  counts: DashboardCount[]
  /** Onboarding steps. Empty once all are done. */
  steps: OnboardingStep[]
  overview: DashboardSection[]
}

export interface AdminDashboardPage {
  /** Most urgent first. */
  needs: AttentionItem[]
  /** Number of all failed operations that can be dismissed. `needs` lists only some of them. */
  failures: number
  readAt: string
  /** Whether the person may manage staff: true, or the reason why not. */
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
  /** Choices for the default instance; customers only. */
  instances: { id: number; name: string }[]
  /** New address that still waits for confirmation; null for none. */
  pendingEmail: string | null
  devices: DeviceRow[]
}

export interface DeviceRow {
  id: string
  /** For example "Firefox on Linux". */
  name: string
  ip: string
  since: string
  seenAt: string
  /** Whether it is the browser that shows this page. */
  current: boolean
}

export type AuditEntryListPage = ListPage<AuditEntryView>

export interface AuditLogPage extends AuditEntryListPage {
  people: { value: string; label: string }[]
}

export interface StaffListPage extends ListPage<StaffRow> {
  /** Whether the person may invite: true, or the reason why not. */
  invite: true | string
}

export interface StaffRow {
  id: number
  name: string
  email: string
  title: string | null
  role: StaffRole
  status: 'active' | 'invited' | 'disabled'
  /** For each action, true or the reason why not. */
  can: Record<'edit' | 'changeRole' | 'disable' | 'enable' | 'inviteAgain', true | string>
}
