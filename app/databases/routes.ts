import { type Engine, engines } from '#databases/engines'
import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Databases = () => import('#databases/controllers/databases_controller')
const Servers = () => import('#databases/controllers/servers_controller')
const Users = () => import('#databases/controllers/users_controller')
const Connections = () => import('#databases/controllers/project_connections_controller')
const Imports = () => import('#databases/controllers/imports_controller')
const Exports = () => import('#databases/controllers/exports_controller')
const Backups = () => import('#databases/controllers/backups_controller')
const Tables = () => import('#databases/controllers/tables_controller')
const Queries = () => import('#databases/controllers/queries_controller')
const SlowQueries = () => import('#databases/controllers/slow_queries_controller')

const id = router.matchers.number()

/** An operation knows only the database's id, so the list of operations links to this route. */
router
  .get('/database/:id', [Databases, 'find'])
  .where('id', id)
  .as('databases.find')
  .use(middleware.signedIn())

/** Each engine has the same routes. Controllers read the engine from the URL. */
for (const engine of Object.keys(engines) as Engine[]) {
  router
    .group(() => {
      router.get('/', [Databases, 'index'])
      router.post('/store', [Databases, 'store'])
      router.post('/drop', [Databases, 'drop'])
      router.post('/import', [Imports, 'store'])
      router.get('/export', [Exports, 'show'])
      router.post('/export', [Exports, 'store'])
      router.post('/server', [Servers, 'act'])
      router.get('/server/log', [Servers, 'log'])
      router.post('/user/store', [Users, 'store'])
      router.post('/user/password', [Users, 'password'])
      router.post('/user/access', [Users, 'access'])
      router.post('/user/remote', [Users, 'remote'])
      router.post('/user/remove', [Users, 'remove'])
      router.post('/project', [Connections, 'store'])
      router.get('/:id', [Databases, 'show']).where('id', id)
      router.get('/:id/rows', [Tables, 'rows']).where('id', id)
      router.get('/:id/structure', [Tables, 'structure']).where('id', id)
      router.post('/:id/query', [Queries, 'store']).where('id', id)
      router.post('/:id/query/csv', [Queries, 'download']).where('id', id)
      router.post('/:id/query/cancel', [Queries, 'cancel']).where('id', id)
      router.get('/:id/slow', [SlowQueries, 'show']).where('id', id)
      router.post('/:id/slow/reset', [SlowQueries, 'reset']).where('id', id)
    })
    .prefix(`/database/${engine}`)
    .as(`databases.${engine}`)
    .use(middleware.signedIn())
}

router
  .group(() => {
    router.post('/store', [Backups, 'store'])
    router.post('/restore', [Backups, 'restore'])
    router.post('/delete', [Backups, 'destroy'])
    router.post('/plan', [Backups, 'plan'])
    router.get('/:id/download', [Backups, 'download']).where('id', id)
  })
  .prefix('/database/backup')
  .as('databases.backups')
  .use(middleware.signedIn())
