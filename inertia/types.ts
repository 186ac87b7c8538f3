import type { PageProps } from '@inertiajs/core'
import type { Region } from '@ui/region'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import type { ListMeta, StatusLabels } from '#core/list_page'

export type { ListMeta, StatusLabels }

export type Area = 'customer' | 'admin' | 'public'
export type ColorScheme = 'light' | 'dark' | 'auto'

export type MemberRole = 'owner' | 'developer' | 'billing'

/** The person who is signed in to the current area. */
export interface SignedInUser {
  id: string | number
  name: string
  email: string
  /** Role of a staff member. */
  role?: 'administrator' | 'support'
  /** Job title of a staff member. */
  title?: string | null
  /** Account that the customer has selected. `null` if the person is a member of none. */
  account?: {
    id: number
    name: string
    role: MemberRole
    status: 'active' | 'suspended' | 'closed'
    statusReason: string | null
  } | null
  /** Default instance of a customer. */
  default_instance_id?: number | null
  /** All accounts of which the customer is a member. */
  accounts?: { id: number; name: string; role: MemberRole }[]
}

/** A message that is shown once. `id` distinguishes two messages with the same text. */
export interface FlashMessage {
  success: boolean
  message: string
  id: string
}

/** The props that the server sends with every page. */
export interface SharedProps extends PageProps {
  user: SignedInUser | null
  area: Area
  /** Menu of the area. Empty while signed out. */
  menu: MenuGroup[]
  errors: Record<string, string>
  notice: FlashMessage | null
  /** Counts beside menu entries by their route, such as unread conversations or bills that await approval. */
  badges: Record<string, number>
  /** Reasons why the person lacks an ability, by ability. */
  unavailable?: Record<string, string>
  /** Price of a US dollar in the region's currency, as an exact decimal. */
  dollarRate: string
  region: Region
  gatewayUrl: string
  version: string
  /** Position in the change stream when the server rendered this page; '' if unknown. */
  live?: string
  csrfToken?: string
  colorScheme?: ColorScheme
}

export type WithSharedProps<T extends object = {}> = SharedProps & T

export interface ListPageProps<Row> extends ListMeta {
  rows: Row[]
  statuses: StatusLabels
}
