import { respond } from '#core/action_response'
import { startOperation } from '#core/operations/operations'
import { notAZip } from '#files/errors'
import { unzipFileOperation } from '#files/operations/unzip'
import {
  parseFilePathInWebRoot,
  parsePathInWebRoot,
  splitPath,
  encodePathInWebRoot,
} from '#guest/public'
import { requireSelectedInstance, openInstanceWebRoot } from '#files/queries/selected_web_root'
import { unzipValidator } from '#files/validators/files'
import type { HttpContext } from '@adonisjs/core/http'

/** Responds before the archive is unpacked. */
export default class UnzipsController {
  async store(ctx: HttpContext) {
    const { request } = ctx
    const input = await unzipValidator.validate({ ...request.body(), ...request.qs() })
    const archive = parseFilePathInWebRoot(input.file_path, 'file_path')
    if (!archive.toLowerCase().endsWith('.zip')) throw notAZip()
    const destination = parsePathInWebRoot(input.destination_path, 'destination_path')
    const { existing: action, encoding } = input
    const exceptions = (input.exceptions ?? []).map((path) =>
      encodePathInWebRoot(parseFilePathInWebRoot(path, 'exceptions'))
    )
    const instance = await requireSelectedInstance(ctx)
    await (await openInstanceWebRoot(instance)).info(archive)
    const operation = await startOperation(
      unzipFileOperation,
      {
        instanceId: instance.id,
        archive: encodePathInWebRoot(archive),
        destination: encodePathInWebRoot(destination),
        ...(encoding && { encoding }),
        ...(action && { existing: { action, exceptions } }),
      },
      {
        title: `Unzip ${splitPath(archive).name.toWellFormed()}`,
        accountId: instance.accountId,
        subject: { type: 'files', id: instance.id },
      }
    )
    respond(ctx, {
      status: 202,
      message: 'Unzipping…',
      data: { operation: operation.describe() },
    })
  }
}
