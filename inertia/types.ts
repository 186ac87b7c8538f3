import type { PageProps } from '@inertiajs/core'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import type { ListMeta, StatusLabels } from '#core/list_page'

export type { ListMeta, StatusLabels }

export type Area = 'customer' | 'admin' | 'public'
export type ColorScheme = 'light' | 'dark' | 'auto'

export type MemberRole = 'owner' | 'developer' | 'billing'

/** Who is signed in to the area that is shown. */
export interface SignedInUser {
  id: string | number
  name: string
  email: string
  /** staff only */
  role?: 'administrator' | 'support'
  /** staff only */
  title?: string | null
  /** customers only: whom they act for; null for a member of no account */
  account?: {
    id: number
    name: string
    role: MemberRole
    status: 'active' | 'suspended' | 'closed'
    statusReason: string | null
  } | null
  /** customers only; null for none */
  default_instance_id?: number | null
  /** customers only: all that they are a member of */
  accounts?: { id: number; name: string; role: MemberRole }[]
}

/** An answer to show once as a toast; `id` tells two equal ones apart. */
export interface FlashMessage {
  success: boolean
  message: string
  id: string
}

/** What the server sends with every page. */
export interface SharedProps extends PageProps {
  user: SignedInUser | null
  area: Area
  /** of the area that is shown; empty while signed out */
  menu: MenuGroup[]
  errors: Record<string, string>
  notice: FlashMessage | null
  /** unread counts by the route of the menu entry */
  badges: Record<string, number>
  /** abilities that this person lacks, each with its reason */
  unavailable?: Record<string, string>
  /** taka for one dollar, as an exact decimal */
  dollarRate: string
  /** where terminals connect to */
  gatewayUrl: string
  version: string
  /** how far the server had listened when this page was made; '' where it cannot say */
  live?: string
  csrfToken?: string
  colorScheme?: ColorScheme
}

/** The props of a page with its own part `T`. */
export type WithSharedProps<T extends object = {}> = SharedProps & T

/** What a list page of the server sends beside the shared props. */
export interface ListPageProps<Row> extends ListMeta {
  rows: Row[]
  /** status key -> label */
  statuses: StatusLabels
}
