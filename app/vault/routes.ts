import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Vaults = () => import('#vault/controllers/vaults_controller')
const Objects = () => import('#vault/controllers/objects_controller')
const Keys = () => import('#vault/controllers/access_keys_controller')
const Settings = () => import('#vault/controllers/vault_settings_and_usage_controller')
const AdminVaults = () => import('#vault/controllers/admin_vaults_controller')

const id = router.matchers.number()

router
  .group(() => {
    router.get('/', ({ response }) => response.redirect().withQs().toPath('/vault/list')).as('home')
    router.get('/list', [Vaults, 'index']).as('list')
    router.post('/store', [Vaults, 'store']).as('store')
    router.post('/delete', [Vaults, 'destroy']).as('delete')
    router.get('/:id', [Vaults, 'show']).where('id', id).as('show')

    router.get('/:id/objects', [Objects, 'index']).where('id', id).as('objects')
    router.get('/:id/open', [Objects, 'open']).where('id', id).as('open')
    router.post('/object/store', [Objects, 'store']).as('object.store')
    router.post('/object/delete', [Objects, 'destroy']).as('object.delete')
    router.post('/object/delete-many', [Objects, 'destroyMany']).as('object.delete_many')
    router.post('/object/upload', [Objects, 'upload']).as('object.upload')
    router.post('/object/share', [Objects, 'share']).as('object.share')

    router.get('/:id/keys', [Keys, 'index']).where('id', id).as('keys')
    router.post('/secret', [Keys, 'secret']).as('secret')
    router.post('/secret/rotate', [Keys, 'rotateSecret']).as('secret.rotate')
    router.post('/key/store', [Keys, 'store']).as('key.store')
    router.post('/key/rotate', [Keys, 'rotate']).as('key.rotate')
    router.post('/key/remove', [Keys, 'destroy']).as('key.remove')

    router.get('/:id/usage', [Settings, 'usage']).where('id', id).as('usage')
    router.get('/:id/upkeep', [Settings, 'upkeep']).where('id', id).as('upkeep')
    router.post('/update', [Settings, 'update']).as('update')
    router.post('/links/end', [Settings, 'endLinks']).as('links.end')
    router.post('/upload/abort', [Settings, 'abortUpload']).as('upload.abort')
  })
  .prefix('/vault')
  .as('vaults')
  .use(middleware.signedIn())

router
  .group(() => {
    router.get('/list', [AdminVaults, 'index']).as('list')
    router
      .group(() => {
        router.get('/stores', [AdminVaults, 'stores']).as('stores')
        router.post('/move', [AdminVaults, 'move']).as('move')
        router.post('/suspend', [AdminVaults, 'suspend']).as('suspend')
        router.post('/resume', [AdminVaults, 'resume']).as('resume')
      })
      .use(middleware.can('vaults.change'))
  })
  .prefix('/admin/vault')
  .as('admin.vaults')
  .use(middleware.signedIn())
