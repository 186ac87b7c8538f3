import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { Frame } from '~/layouts/frame'
import { signedOutMenu } from '~/layouts/menus'
import type { UserMenuEntry } from '~/layouts/user_menu'
import type { SharedProps } from '~/types'

const userMenu: UserMenuEntry[] = [
  { label: 'Profile', href: '/profile' },
  { label: 'Logout', href: '/logout', method: 'post' },
]

export function CustomerLayout({ children }: { children?: ReactNode }) {
  const { user, menu } = usePage<SharedProps>().props
  return (
    <Frame home="/" menu={user ? menu : signedOutMenu('/login')} userMenu={userMenu}>
      {children}
    </Frame>
  )
}
