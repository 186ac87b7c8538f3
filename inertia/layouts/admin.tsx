import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { useSendUnsentMessages } from '~/components/support/use_send_unsent_messages'
import { useUnreadCount } from '~/components/support/use_unread_count'
import { Frame } from '~/layouts/frame'
import { signedOutMenu } from '~/layouts/menus'
import type { UserMenuEntry } from '~/layouts/user_menu'
import type { SharedProps } from '~/types'

const userMenu: UserMenuEntry[] = [
  { label: 'Profile', href: '/admin/profile' },
  { label: 'Sign out', href: '/admin/logout', method: 'post' },
]

export function AdminLayout({ children }: { children?: ReactNode }) {
  const { user, menu } = usePage<SharedProps>().props
  useUnreadCount('/admin/live-support')
  useSendUnsentMessages('/admin', user ? Number(user.id) : null)
  return (
    <Frame
      home="/admin"
      word="Admin"
      menu={user ? menu : signedOutMenu('/admin/login')}
      userMenu={userMenu}
    >
      {children}
    </Frame>
  )
}
