import { prettyPrintError } from '@adonisjs/core'
import { ignite } from './ignite.js'

process.env.BERTH_ROLE ??= 'web'

ignite()
  .httpServer()
  .start()
  .catch((error) => {
    process.exitCode = 1
    prettyPrintError(error)
  })
