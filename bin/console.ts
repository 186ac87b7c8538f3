import { prettyPrintError } from '@adonisjs/core'
import { ignite } from './ignite.js'

process.env.BERTH_ROLE ??= 'console'

ignite()
  .ace()
  .handle(process.argv.splice(2))
  .catch((error) => {
    process.exitCode = 1
    prettyPrintError(error)
  })
