import { Drawer } from '@mantine/core'
import { Sidebar } from '~/layouts/sidebar'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import { Logo } from '@ui/logo'

interface MenuDrawerProps {
  menu: MenuGroup[]
  opened: boolean
  onClose: () => void
}

/** The sidebar on screens below medium width. */
export default function MenuDrawer({ menu, opened, onClose }: MenuDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={288}
      padding="sm"
      title={<Logo />}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <nav aria-label="Main">
        <Sidebar menu={menu} onNavigate={onClose} />
      </nav>
    </Drawer>
  )
}
