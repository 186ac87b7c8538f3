import { conflict } from '#core/app_error'
import type Database from '#databases/models/database'
import { getDatabaseByName } from '#databases/queries/databases'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import type { Server } from '#databases/servers/server'
import { auditTransfer } from '#databases/transfer/audit_transfer'
import { holdExportSlot } from '#databases/transfer/export_slot'
import {
  failIfImported,
  IMPORT_RUNNING_MESSAGE,
  isImportUnfinished,
} from '#databases/transfer/exclusive_imports'
import { respondWithDownload } from '#databases/transfer/respond_with_download'
import { credentialsValidator, exportFormatValidator } from '#databases/validators/database'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { pipeline, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

/** The response is streamed while the server writes the export. */
export default class ExportsController {
  async show(ctx: HttpContext) {
    const { request } = ctx
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    const database = await getDatabaseByName(server, request.input('database_name'))
    const { transfer } = databaseDriver(server)
    if (transfer.requiresCredentials) {
      const sent = request.method() === 'POST' ? request.body() : request.qs()
      const { username, user_password: password } = await credentialsValidator.validate(sent)
      await transfer.assertCredentials(server, database.name, { username, password })
    }
    const since = DateTime.utc()
    if (await isImportUnfinished(database)) throw conflict(IMPORT_RUNNING_MESSAGE)
    const isPacked = transfer.format === 'sql.gz' && (await wantsPacked(request))
    const slot = await holdExportSlot(server)
    try {
      await this.#send(ctx, { server, database, since, isPacked })
    } finally {
      await slot.release()
    }
  }

  async #send(
    ctx: HttpContext,
    {
      server,
      database,
      since,
      isPacked,
    }: { server: Server; database: Database; since: DateTime; isPacked: boolean }
  ): Promise<void> {
    const { transfer } = databaseDriver(server)
    const { body, filename, mediaType, notes } = await transfer.export(server, database.name)
    try {
      await auditTransfer(ctx, database, 'database.export')
    } catch (error) {
      body.destroy()
      throw error
    }
    // The page shows these notes. The exported file has them too, as comments.
    ctx.response.header('x-berth-notes', encodeURIComponent(JSON.stringify(shortened(notes()))))
    const checked = failIfImported(body, database, since)
    if (!isPacked) return respondWithDownload(ctx, checked, { filename, mediaType })
    await respondWithDownload(ctx, packed(checked), {
      filename: `${filename}.gz`,
      mediaType: 'application/gzip',
    })
  }

  /** Like `show`, but with the credentials in the body, so that no log or browser history contains them. */
  store(ctx: HttpContext) {
    return this.show(ctx)
  }
}

const MAX_NOTES_HEADER_LENGTH = 3_000

function shortened(notes: string[]): string[] {
  const shown: string[] = []
  for (const note of notes) {
    if (encodeURIComponent([...shown, note].join()).length > MAX_NOTES_HEADER_LENGTH) break
    shown.push(note)
  }
  const others = notes.length - shown.length
  return others > 0 ? [...shown, `The end of the file lists ${others} more.`] : shown
}

async function wantsPacked(request: HttpContext['request']): Promise<boolean> {
  const { format } = await request.validateUsing(exportFormatValidator)
  return format === 'sql.gz' || format === 'gz'
}

function packed(body: Readable): Readable {
  const gzip = createGzip({ level: 4 })
  pipeline(body, gzip, () => {})
  return gzip
}
