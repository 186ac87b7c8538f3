import { allModules, findModuleLoadError, loadModulePart } from '#core/modules'
import { notFound } from '#core/app_error'
import router from '@adonisjs/core/services/router'

// Loads the modules one after the other, so that the order of the routes is the same at each start.
for (const { name, routes } of allModules()) await loadModulePart(name, () => routes?.())

// A normal route, so that the error page shows the menu to signed-in people.
router
  .get('*', () => {
    throw findModuleLoadError() ?? notFound()
  })
  .as('missing')
