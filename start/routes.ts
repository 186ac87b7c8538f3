import { allModules } from '#core/modules'
import { notFound } from '#core/app_error'
import router from '@adonisjs/core/services/router'

// One after the other, so that their order is the same at every start.
for (const { routes } of allModules()) await routes?.()

// Like any other page, so that who is signed in keeps the menu.
router
  .get('*', () => {
    throw notFound()
  })
  .as('missing')
