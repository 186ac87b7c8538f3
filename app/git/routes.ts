import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Details = () => import('#git/controllers/repository_details_controller')
const Checkouts = () => import('#git/controllers/branch_checkouts_controller')
const BranchUpdates = () => import('#git/controllers/merges_and_pulls_controller')
const Branches = () => import('#git/controllers/branch_deletions_controller')
const Merges = () => import('#git/controllers/merges_in_progress_controller')
const Locks = () => import('#git/controllers/index_locks_controller')
const DeployKeys = () => import('#git/controllers/deploy_keys_controller')
const Clones = () => import('#git/controllers/clones_controller')

router
  .group(() => {
    router.get('/git/details', [Details, 'show'])
    router.post('/git/checkout', [Checkouts, 'store'])
    router.post('/git/update-branch', [BranchUpdates, 'store'])
    router.post('/git/delete-branch', [Branches, 'destroy'])
    router.get('/git/conflicts', [Merges, 'show'])
    router.get('/git/conflict', [Merges, 'sides'])
    router.post('/git/solve-conflict', [Merges, 'solve'])
    router.post('/git/finish-merge', [Merges, 'finish'])
    router.post('/git/abort-merge', [Merges, 'abort'])
    router.post('/git/remove-lock', [Locks, 'destroy'])
    router.get('/git/deploy-key', [DeployKeys, 'show'])
    router.post('/git/deploy-key', [DeployKeys, 'store'])
    router.post('/git/clone', [Clones, 'store'])
  })
  .as('git')
  .use(middleware.signedIn())
