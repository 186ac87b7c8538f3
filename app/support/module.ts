import type { CountQuery } from '#core/menu_badges'
import { defineModule } from '#core/modules'
import {
  countClientsWithMessagesUnreadByStaff,
  countMessagesUnreadByClient,
} from '#support/queries/messages'
import mailUnread from '#support/schedules/mail_unread_messages'
import replies from '#support/schedules/receive_email_replies'
import sweep from '#support/schedules/delete_unsent_files'

const ADMIN_SUPPORT_PAGE = '/admin/live-support'
const CUSTOMER_SUPPORT_PAGE = '/live-support'

export default defineModule({
  name: 'support',
  routes: () => import('#support/routes'),
  schedules: [mailUnread, replies, sweep],
  menu: {
    admin: [{ label: 'Live Support', href: ADMIN_SUPPORT_PAGE, icon: 'messages', order: 70 }],
  },
  badgeUnits: { [ADMIN_SUPPORT_PAGE]: ['customer awaits a reply', 'customers await a reply'] },
  badges: ({ id, audience }): Record<string, CountQuery> =>
    audience === 'staff'
      ? { [ADMIN_SUPPORT_PAGE]: countClientsWithMessagesUnreadByStaff() }
      : { [CUSTOMER_SUPPORT_PAGE]: countMessagesUnreadByClient(id) },
})
