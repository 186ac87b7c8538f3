/** Every domain keeps its routes in a file of its own. */
import '#core/routes'
import '#identity/routes'
import '#accounts/routes'
import '#catalog/routes'
import '#hosts/routes'
import '#instances/routes'
import '#edge/routes'
import '#metrics/routes'
import '#terminal/routes'
import '#files/routes'
import '#git/routes'
import '#projects/routes'
import './soon_routes.js'
import { notFound } from '#core/refusal'
import router from '@adonisjs/core/services/router'

// Like any other page, so that who is signed in keeps the menu.
router
  .get('*', () => {
    throw notFound()
  })
  .as('missing')
