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
  /** Id of the code. The page sends it together with the OTP, as the specification demands. */
  userId: string | null
  /** ISO time from which another OTP can be sent. */
  resendAt: string | null
  /** Null: Google sign-in is available. */
  googleReason: string | null
  /** CSRF token for a form that the browser submits before the page's scripts have loaded. */
  csrfToken: string
}

export interface CustomerDashboardPage {
  counts: DashboardCount[]
  /** Empty once all are done. */
  steps: OnboardingStep[]
  overview: DashboardSection[]
}

export interface AdminDashboardPage {
  /** Problems that staff must attend to, most urgent first. */
  needs: AttentionItem[]
  /** Number of failed operations that can be dismissed. `needs` lists only some of them. */
  failures: number
  readAt: string
  /** True if the person may manage staff, otherwise the reason why not. */
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
  /** Instances that the person can choose as default. Empty for staff. */
  instances: { id: number; name: string }[]
  /** New email address that is not confirmed yet. Null: none. */
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
  /** Whether this is the browser that shows the page. */
  current: boolean
}

export type AuditEntryListPage = ListPage<AuditEntryView>

export interface AuditLogPage extends AuditEntryListPage {
  people: { value: string; label: string }[]
}

export interface StaffListPage extends ListPage<StaffRow> {
  /** True if the person may invite staff, otherwise the reason why not. */
  invite: true | string
}

export interface StaffRow {
  id: number
  name: string
  email: string
  title: string | null
  role: StaffRole
  status: 'active' | 'invited' | 'disabled'
  /** For each action on this staff member: true, or the reason why the person may not do it. */
  can: Record<'edit' | 'changeRole' | 'disable' | 'enable' | 'inviteAgain', true | string>
}
