import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Conversations = () => import('#support/controllers/messages_controller')
const Files = () => import('#support/controllers/files_controller')
const Clients = () => import('#support/controllers/clients_controller')
const Replies = () => import('#support/controllers/saved_replies_controller')

for (const area of ['customer', 'admin']) {
  const prefix = area === 'admin' ? '/admin' : ''
  router
    .group(() => {
      router.get(`${prefix}/live-support/message-list`, [Conversations, 'index']).as('messages')
      router.post(`${prefix}/live-support/send-message`, [Conversations, 'store']).as('send')
      router.post(`${prefix}/live-support/read`, [Conversations, 'read']).as('read')
      router.post(`${prefix}/live-support/typing`, [Conversations, 'typing']).as('typing')
      router.post(`${prefix}/chat-file/upload`, [Files, 'store']).as('upload')
      router.get(`${prefix}/chat-file/:file`, [Files, 'show']).as('file')
    })
    .as(`${area}.support`)
    .use(middleware.signedIn('everyMember'))
}

router
  .group(() => {
    router.get('/', [Clients, 'show']).as('page')
    router.get('/client-list', [Clients, 'index']).as('clients')
    router.get('/client', [Clients, 'facts']).as('client')
    router.get('/search', [Clients, 'search']).as('search')
    router.post('/status', [Clients, 'status']).as('status')
    router.post('/assign', [Clients, 'assign']).as('assign')
    router.post('/looking', [Clients, 'looking']).as('looking')
    router.post('/note', [Clients, 'note']).as('note')
    router.post('/reply/store', [Replies, 'store']).as('reply.store')
    router.post('/reply/delete', [Replies, 'destroy']).as('reply.delete')
  })
  .prefix('/admin/live-support')
  .as('admin.live_support')
  .use(middleware.signedIn())
