import { respond } from '#core/action_response'
import { declaredUploadBytes, receiveFile, drainBodyOnError } from '#core/upload'
import { invalid, AppError } from '#core/app_error'
import type { HeldLock } from '#core/locks'
import type Database from '#databases/models/database'
import { MAX_UPLOAD_BYTES } from '#databases/limits'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { getDatabaseByName } from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import type { Server } from '#databases/servers/server'
import { auditTransfer } from '#databases/transfer/audit_transfer'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { assertNoImport, lockForUpload, startImport } from '#databases/transfer/exclusive_imports'
import { credentialsValidator, importValidator } from '#databases/validators/database'
import { parseFilePathInWebRoot, webRoot, encodePathInWebRoot } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'
import { join } from 'node:path'

interface Upload {
  file: string
  filename: string
}

/**
 * Streams an uploaded dump to the machine of the database server, and responds with the import operation's id. Our
 * pages repeat database and server in the query string, so that errors are reported before the upload.
 */
export default class ImportsController {
  store(ctx: HttpContext) {
    return drainBodyOnError(ctx, () => this.#store(ctx))
  }

  async #store(ctx: HttpContext) {
    const { request } = ctx
    if (request.multipart && declaredUploadBytes(ctx) > MAX_UPLOAD_BYTES) throw tooLarge()
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    if (!request.multipart) return this.#fromPath(ctx, server)
    const named = request.qs().database_name
    let held: HeldLock | null = null
    try {
      if (named !== undefined) held = await lockForUpload(await getDatabaseByName(server, named))
      await this.#fromUpload(ctx, server)
    } finally {
      await held?.release()
    }
  }

  async #fromUpload(ctx: HttpContext, server: Server) {
    const { request } = ctx
    const store = new DatabaseFileStore(server, 'imports')
    await store.clear()
    await store.assertRoom(declaredUploadBytes(ctx))
    const upload = await receive(ctx, server, store)
    try {
      const serverId = request.body().server_instance_id
      const isOther = serverId && String(serverId) !== String(server.instance?.id ?? 'managed')
      if (isOther)
        throw invalid({
          server_instance_id: 'Send server_instance_id in the query string, not in the form.',
        })
      const database = await getDatabaseByName(server, request.input('database_name'))
      await this.#start(ctx, server, database, { ...upload, from: 'upload' })
    } catch (error) {
      await store.remove(upload.file).catch(() => {})
      throw error
    }
  }

  /** Imports a file from below the instance's web root. Its size is not limited. */
  async #fromPath(ctx: HttpContext, server: Server) {
    const { request } = ctx
    const database = await getDatabaseByName(server, request.input('database_name'))
    const { transfer } = databaseDriver(server)
    const path = request.input('path')
    if (!path || !server.instance) transfer.assertFile('')
    const clean = parseFilePathInWebRoot(path)
    transfer.assertFile(clean)
    await assertNoImport(database)
    const file = join(webRoot.path, clean)
    await this.#start(ctx, server, database, {
      file,
      filename: encodePathInWebRoot(clean),
      from: 'path',
    })
  }

  async #start(
    ctx: HttpContext,
    server: Server,
    database: Database,
    from: Upload & { from: 'upload' | 'path' }
  ) {
    const { request } = ctx
    const { transfer } = databaseDriver(server)
    const { mode, accept_missing_end: acceptsMissingEnd } = await importValidator.validate(
      request.body()
    )
    if (transfer.requiresCredentials) {
      const { username, user_password: password } = await credentialsValidator.validate(
        request.body()
      )
      await transfer.assertCredentials(server, database.name, { username, password })
    }
    const name = from.filename.split('/').at(-1)!.slice(0, 100).toWellFormed()
    const operation = await startImport(
      database,
      { ...from, merge: mode === 'merge', acceptsMissingEnd },
      `Import ${name}`
    )
    await auditTransfer(ctx, database, 'database.import', { mode })
    respond(ctx, {
      status: 202,
      message: 'Import started.',
      data: { operation: operation.describe() },
    })
  }
}

function receive(ctx: HttpContext, server: Server, store: DatabaseFileStore): Promise<Upload> {
  const { transfer } = databaseDriver(server)
  return receiveFile(ctx, {
    limit: MAX_UPLOAD_BYTES,
    tooLarge,
    cutOff: () =>
      new AppError('cut_off', 400, 'The upload was interrupted. The database is unchanged.'),
    missing() {
      // The name '' makes the engine throw its message for a missing file.
      transfer.assertFile('')
      return invalid({ file: 'Choose a file.' })
    },
    async keep(bytes, filename) {
      transfer.assertFile(filename)
      const ending =
        /\.(?:sql\.gz|[a-z0-9]+)$/i.exec(filename)?.[0].slice(1).toLowerCase() ?? 'part'
      const file = store.newName(ending)
      const { bytes: size } = await store.put(file, bytes)
      if (size > 0) return { file, filename }
      await store.remove(file)
      throw invalid({
        file: 'The file is empty: it contains no statements and no documents. The database is unchanged.',
      })
    },
    discard: ({ file }) => store.remove(file),
  })
}

function tooLarge(): AppError {
  return new AppError(
    'too_large',
    413,
    'You can upload files up to 500 MB. Copy a larger file to the server instance and enter its path to import it.'
  )
}
