import { allModules } from '#core/modules'
import { notFound } from '#core/app_error'
import router from '@adonisjs/core/services/router'

// Sequential, so that the order of the routes is the same at every start.
for (const { routes } of allModules()) await routes?.()

// A normal route, so that signed-in people keep their menu on the error page.
router
  .get('*', () => {
    throw notFound()
  })
  .as('missing')
