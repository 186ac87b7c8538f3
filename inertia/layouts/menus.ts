import type { Icon } from '@tabler/icons-react'
import IconAnchor from '@tabler/icons-react/dist/esm/icons/IconAnchor.mjs'
import IconCloud from '@tabler/icons-react/dist/esm/icons/IconCloud.mjs'
import IconDatabase from '@tabler/icons-react/dist/esm/icons/IconDatabase.mjs'
import IconFolder from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs'
import IconLogin from '@tabler/icons-react/dist/esm/icons/IconLogin.mjs'
import IconMail from '@tabler/icons-react/dist/esm/icons/IconMail.mjs'
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs'
import IconReceipt from '@tabler/icons-react/dist/esm/icons/IconReceipt.mjs'
import IconServer from '@tabler/icons-react/dist/esm/icons/IconServer.mjs'
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs'
import IconWorldWww from '@tabler/icons-react/dist/esm/icons/IconWorldWww.mjs'

export interface MenuEntry {
  label: string
  href: string
  /** what one must be able to; who cannot sees the entry with the reason */
  needs?: string
}

export interface MenuGroup {
  label: string
  icon: Icon
  /** where the entry leads; a group has `entries` instead */
  href?: string
  needs?: string
  entries?: MenuEntry[]
}

const machines = 'machines.use'

/** Product, "Lists and pages". */
export const customerMenu: MenuGroup[] = [
  { label: 'Dashboard', icon: IconLayoutDashboard, href: '/' },
  {
    label: 'VPS Servers',
    icon: IconServer,
    entries: [{ label: 'Instances', href: '/server-instance/list', needs: machines }],
  },
  {
    label: 'Databases',
    icon: IconDatabase,
    entries: [
      { label: 'Mysql', href: '/database/mysql', needs: machines },
      { label: 'MongoDB', href: '/database/mongodb', needs: machines },
    ],
  },
  { label: 'File Manager', icon: IconFolder, href: '/file-manager', needs: machines },
  { label: 'Projects / Sites', icon: IconWorldWww, href: '/project/list', needs: machines },
  { label: 'Vault (Storage Service)', icon: IconCloud, href: '/vault/list', needs: machines },
  { label: 'Billing & Payment', icon: IconReceipt, href: '/billing' },
]

/** Product, "Lists and pages". */
export const adminMenu: MenuGroup[] = [
  { label: 'Dashboard', icon: IconLayoutDashboard, href: '/admin' },
  {
    label: 'VPS Servers',
    icon: IconServer,
    entries: [{ label: 'Instances', href: '/admin/server-instance/list' }],
  },
  {
    label: 'Host Instances',
    icon: IconAnchor,
    entries: [{ label: 'Host Instances', href: '/admin/host-instance/list' }],
  },
  {
    label: 'Projects',
    icon: IconWorldWww,
    entries: [{ label: 'Projects', href: '/admin/project/list' }],
  },
  { label: 'Email', icon: IconMail, href: '/admin/email/list' },
  { label: 'Vault', icon: IconCloud, href: '/admin/vault/list' },
  { label: 'Live Support', icon: IconMessages, href: '/admin/live-support' },
  {
    label: 'Billing & Payments',
    icon: IconReceipt,
    entries: [
      { label: 'console billing', href: '/admin/billing/list' },
      { label: 'Auto Courier billing', href: '/admin/autocourier-billing/list' },
    ],
  },
  // What only running the place needs comes last.
  {
    label: 'Administration',
    icon: IconSettings,
    entries: [
      { label: 'Customers', href: '/admin/customer/list' },
      { label: 'Staff', href: '/admin/staff/list' },
      { label: 'Packages', href: '/admin/server-package/list' },
      { label: 'Audit log', href: '/admin/audit' },
      { label: 'System', href: '/admin/system' },
    ],
  },
]

/** Signed out, this entry is all there is. */
export function signedOutMenu(href: string): MenuGroup[] {
  return [{ label: 'Login', icon: IconLogin, href }]
}

const homes = ['/', '/admin']

/** The section of a route: its path without the last `list`. */
function section(href: string) {
  return href.replace(/\/list$/, '')
}

/** Whether an address lies at or below a menu entry. The two dashboards own only themselves. */
export function isCurrent(href: string, url: string) {
  const path = url.split(/[?#]/)[0].replace(/(.)\/$/, '$1')
  if (homes.includes(href)) return path === href
  return path === section(href) || path.startsWith(`${section(href)}/`)
}

/** The label of the group that holds an address, to open it. */
export function groupOf(menu: MenuGroup[], url: string) {
  return (
    menu.find((group) => group.entries?.some((entry) => isCurrent(entry.href, url)))?.label ?? null
  )
}
