import type { Actor } from '#core/contracts/actor'
import { receiveFiles } from '#core/upload'
import * as refused from '#support/errors'
import { extensionOf, type FileKind } from '#support/file_types'
import { MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE, MAX_UNSENT_FILES } from '#support/limits'
import Attachment from '#support/models/attachment'
import { storeSystemFile, removeSystemFiles } from '#vault/public'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'

const CHAT_FOLDER = 'chat'

export const attachmentObjectName = ({ id, extension }: Pick<Attachment, 'id' | 'extension'>) =>
  `${CHAT_FOLDER}/${id}.${extension}`

/**
 * Stores the files in the form fields `photo_{n}` and `doc_{n}`, all or none. The same person can
 * send them in a later message.
 */
export async function storeFiles(ctx: HttpContext): Promise<Attachment[]> {
  const uploaderId = ctx.actor.id
  await assertFewUnsent(ctx.actor)
  const storedFiles = await receiveFiles(ctx, {
    limit: MAX_FILE_BYTES,
    maxFiles: MAX_FILES_PER_MESSAGE,
    tooLarge: refused.fileTooLarge,
    tooMany: refused.tooManyFiles,
    cutOff: refused.uploadInterrupted,
    missing: refused.noFilesUploaded,
    keep: (bytes, filename, part) => storeFile(uploaderId, bytes, filename, part),
    discard: (file) => removeSystemFiles([attachmentObjectName(file)]),
  })
  await Attachment.createMany(storedFiles)
  return storedFiles.map((file) => new Attachment().fill(file))
}

async function storeFile(uploaderId: number, sent: Readable, filename: string, part: string) {
  const kind: FileKind = part.startsWith('photo') ? 'photo' : 'document'
  const name = plainName(filename)
  const extension = extensionOf(kind, name)
  if (!extension) throw refused.wrongFileType(kind, name)
  const id = randomUUID()
  const bytes = await storeSystemFile(CHAT_FOLDER, `${id}.${extension}`, sent)
  return { id, uploaderId, kind, name, extension, bytes, createdAt: DateTime.now() }
}

/**
 * Returns the file name without folders and invisible characters. Shortens it to 200 characters in
 * the middle, so that the extension remains.
 */
function plainName(filename: string): string {
  const name = filename
    .slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
  return name.length > 200 ? `${name.slice(0, 180)}…${name.slice(-19)}` : name || 'file'
}

async function assertFewUnsent({ id }: Pick<Actor, 'id'>): Promise<void> {
  const [{ $extras }] = await Attachment.query()
    .where({ uploaderId: id })
    .whereNull('messageId')
    .count('* as total')
  if (Number($extras.total) > MAX_UNSENT_FILES - MAX_FILES_PER_MESSAGE)
    throw refused.tooManyUploads()
}
