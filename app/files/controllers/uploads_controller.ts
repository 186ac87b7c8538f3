import { answer } from '#core/answers'
import { announcedBytes, receiveFile, takeUpload } from '#core/upload'
import { cutOff, diskFull, exists, tooLargeToUpload, UPLOAD_LIMIT } from '#files/errors'
import type { WebRoot } from '#files/machine/web_root'
import { badPath, cleanName, cleanPath, join, wirePath } from '#guest/public'
import { requireInstance, webRootOf } from '#files/queries/chosen_instance'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * `POST /file-manager/upload-file`: the file goes to the machine as it comes in, under a temporary
 * name, and takes its place once all of it is there. Our own pages send `path`, `name`, `overwrite`
 * and `server_instance_id` in the address as well, so that a refusal comes before the bytes.
 */
export default class UploadsController {
  store(ctx: HttpContext) {
    return takeUpload(ctx, () => this.#store(ctx))
  }

  async #store(ctx: HttpContext) {
    const { request } = ctx
    if (announcedBytes(ctx) > UPLOAD_LIMIT) throw tooLargeToUpload()
    const instance = await requireInstance(ctx)
    const root = await webRootOf(instance)
    await refuseEarly(ctx, root)
    const { temporary, given } = await receive(ctx, root)
    try {
      const named = request.input('server_instance_id')
      if (named && String(named) !== String(instance.id)) {
        throw badPath('Name the server instance in the address.', 'server_instance_id')
      }
      const folder = cleanPath(request.input('path'))
      const name = cleanName(request.input('name') ?? given, 'file')
      await root.putFile(temporary, join(folder, name), overwrites(ctx))
      answer(ctx, {
        status: 201,
        message: `${name} uploaded.`,
        data: { path: wirePath(join(folder, name)) },
      })
    } catch (error) {
      await root.discard(temporary).catch(() => {})
      throw error
    }
  }
}

function overwrites({ request }: HttpContext): boolean {
  return ['1', 'true', 'yes'].includes(String(request.input('overwrite')))
}

/** What can be known before the bytes: the name is taken, the disk is too small. */
async function refuseEarly(ctx: HttpContext, root: WebRoot): Promise<void> {
  const { path, name, overwrite } = ctx.request.qs()
  const asked = name === undefined ? '.probe' : cleanName(name, 'file')
  const { there, free } = await root.room(join(cleanPath(path), asked))
  const wish = ['1', 'true', 'yes'].includes(String(overwrite))
  if (name !== undefined && there !== 'nothing' && (there === 'folder' || !wish)) {
    throw exists(asked)
  }
  if (announcedBytes(ctx) > free) throw diskFull()
}

/** The file under a temporary name on the machine, and what its sender calls it. */
function receive(ctx: HttpContext, root: WebRoot) {
  return receiveFile(ctx, {
    limit: UPLOAD_LIMIT,
    tooLarge: tooLargeToUpload,
    cutOff,
    missing: () => badPath('Choose a file.', 'file'),
    keep: async (bytes, given) => ({ temporary: await root.receive(bytes), given }),
    discard: ({ temporary }) => root.discard(temporary),
  })
}
