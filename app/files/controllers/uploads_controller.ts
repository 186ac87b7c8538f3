import { answer } from '#core/answers'
import { cutOff, diskFull, exists, tooLargeToUpload, UPLOAD_LIMIT } from '#files/errors'
import type { WebRoot } from '#files/machine/web_root'
import { badPath, cleanName, cleanPath, join, wirePath } from '#guest/public'
import { requireInstance, webRootOf } from '#files/queries/chosen_instance'
import type { HttpContext } from '@adonisjs/core/http'
import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream'

/** Room for the other parts of the form. */
const FORM_BYTES = 64 * 1024
/** How long the rest of a refused upload is read, in milliseconds. */
const READ_OUT = 30_000

/**
 * `POST /file-manager/upload-file`: the file goes to the machine as it comes in, under a temporary
 * name, and takes its place once all of it is there. Our own pages send `path`, `name`, `overwrite`
 * and `server_instance_id` in the address as well, so that a refusal comes before the bytes.
 */
export default class UploadsController {
  async store(ctx: HttpContext) {
    try {
      await this.#store(ctx)
    } catch (error) {
      readOut(ctx.request.request)
      throw error
    }
  }

  async #store(ctx: HttpContext) {
    const { request } = ctx
    if (Number(request.header('content-length') ?? 0) > UPLOAD_LIMIT + FORM_BYTES) {
      throw tooLargeToUpload()
    }
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
async function refuseEarly({ request }: HttpContext, root: WebRoot): Promise<void> {
  const { path, name, overwrite } = request.qs()
  const asked = name === undefined ? '.probe' : cleanName(name, 'file')
  const { there, free } = await root.room(join(cleanPath(path), asked))
  const wish = ['1', 'true', 'yes'].includes(String(overwrite))
  if (name !== undefined && there !== 'nothing' && (there === 'folder' || !wish)) {
    throw exists(asked)
  }
  if (Number(request.header('content-length') ?? 0) > free + FORM_BYTES) throw diskFull()
}

/** Streams the part called `file`; nothing of it touches our disk. */
async function receive(ctx: HttpContext, root: WebRoot) {
  let receiving: Promise<string> | null = null
  let given = ''
  const { multipart } = ctx.request
  if (!multipart) throw badPath('Choose a file.', 'file')
  // What fails is told at once: the form itself ends only with the last byte of the body.
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  multipart.onFile('file', {}, async (part) => {
    if (receiving) return void part.resume()
    given = part.filename
    receiving = root.receive(limited(part, ctx.request.request))
    await receiving.catch(failed.reject)
  })
  try {
    const form = multipart.process({ limit: UPLOAD_LIMIT + FORM_BYTES })
    await Promise.race([form, failed.promise])
  } catch (error) {
    drop(receiving, root)
    throw error
  }
  if (!receiving) throw badPath('Choose a file.', 'file')
  return { temporary: await (receiving as Promise<string>), given }
}

/** Throws away what still arrives whole although the form around it did not. */
function drop(receiving: Promise<string> | null, root: WebRoot): void {
  receiving?.then((temporary) => root.discard(temporary)).catch(() => {})
}

/**
 * The answer is on its way; what is still being sent is read and thrown away. Closed on, the sender
 * would see a reset and not the answer; sent for ever, it would hold the connection.
 */
function readOut(request: IncomingMessage): void {
  request.unpipe()
  request.resume()
  if (request.readableEnded || request.destroyed) return
  const timer = setTimeout(() => request.socket.destroy(), READ_OUT).unref()
  request.once('close', () => clearTimeout(timer))
}

/** Ends with an error when more comes than is allowed, or when the sender goes away. */
function limited(part: Readable, request: Readable): Readable {
  let bytes = 0
  const counter = new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > UPLOAD_LIMIT ? tooLargeToUpload() : null, chunk)
    },
  })
  const gone = () => counter.destroy(cutOff())
  request.once('aborted', gone)
  pipeline(part, counter, () => request.off('aborted', gone))
  return counter
}
