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
import type { MenuIconName } from '#core/contracts/menu_and_dashboard'

export const menuIcons: Record<MenuIconName, Icon> = {
  anchor: IconAnchor,
  cloud: IconCloud,
  dashboard: IconLayoutDashboard,
  database: IconDatabase,
  folder: IconFolder,
  login: IconLogin,
  mail: IconMail,
  messages: IconMessages,
  receipt: IconReceipt,
  server: IconServer,
  settings: IconSettings,
  site: IconWorldWww,
}
