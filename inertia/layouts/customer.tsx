import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { Alert } from '@mantine/core'
import { statusLabel } from '@ui/status_label'
import { SupportBubble } from '~/components/support/support_bubble'
import { Frame } from '~/layouts/frame'
import { signedOutMenu } from '~/layouts/menus'
import type { UserMenuEntry } from '~/layouts/user_menu'
import type { SharedProps } from '~/types'

function userMenuEntries(user: SharedProps['user']): UserMenuEntry[] {
  const accounts = user?.accounts ?? []
  const choices = accounts.length > 1 ? accounts : []
  return [
    { label: 'Profile', href: '/profile' },
    { label: 'Members', href: '/profile/members' },
    ...choices.map(({ id, name, role }) => ({
      label: `${name} · ${statusLabel(role)}`,
      href: '/account/switch' as const,
      method: 'post' as const,
      data: { id },
      current: id === user?.account?.id,
    })),
    { label: 'Logout', href: '/logout', method: 'post' },
  ]
}

function SuspensionBanner({ user }: Pick<SharedProps, 'user'>) {
  const { account } = user ?? {}
  if (!account || account.status === 'active') return null
  return (
    <Alert color="yellow" role="status" mb="lg" title={`This account is ${account.status}`}>
      {account.statusReason && <>{account.statusReason} </>}
      You can view everything and pay bills. All other actions are blocked until the account is
      resumed.
    </Alert>
  )
}

export function CustomerLayout({ children }: { children?: ReactNode }) {
  const { user, menu } = usePage<SharedProps>().props
  return (
    <Frame
      home="/"
      menu={user ? menu : signedOutMenu('/login')}
      userMenu={userMenuEntries(user)}
      chat={user && <SupportBubble me={Number(user.id)} />}
    >
      <SuspensionBanner user={user} />
      {children}
    </Frame>
  )
}
