import { allModules, findModuleLoadError, loadModulePart } from '#core/modules'
import { notFound } from '#core/app_error'
import router from '@adonisjs/core/services/router'

// Sequential, so that the order of the routes is the same at every start.
for (const { name, routes } of allModules()) await loadModulePart(name, () => routes?.())

// A normal route, so that signed-in people keep their menu on the error page.
router
  .get('*', () => {
    throw findModuleLoadError() ?? notFound()
  })
  .as('missing')
