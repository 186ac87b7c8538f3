import { call } from '~/api_call'
import type { AreaPrefix } from '~/area_prefix'
import { resizePhoto } from './resize_photo'

/** Limit that the specification requires (docs/product.md, "Live support"). */
export const MAX_FILES_PER_MESSAGE = 10
const BYTES_PER_MB = 1024 ** 2
export const MAX_FILE_BYTES = 25 * BYTES_PER_MB
export const DOCUMENT_EXTENSIONS = '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt,.csv,.zip'

export type AttachmentKind = 'photo' | 'doc'

export interface SelectedFile {
  id: number
  kind: AttachmentKind
  file: File
  /** Blob URL of the picture; null for documents. */
  preview: string | null
}

export type UploadResult = { success: true; files: string } | { success: false; message: string }

export function attachmentError({
  kind,
  file,
}: Pick<SelectedFile, 'kind' | 'file'>): string | null {
  if (kind === 'photo') return file.type.startsWith('image/') ? null : 'File Is NOT Image!'
  const known = DOCUMENT_EXTENSIONS.split(',').some((ending) =>
    file.name.toLowerCase().endsWith(ending)
  )
  if (!known)
    return `Allowed document types: ${DOCUMENT_EXTENSIONS.replaceAll('.', '').replaceAll(',', ', ')}.`
  return file.size > MAX_FILE_BYTES ? 'This file is larger than 25 MB.' : null
}

/** Uploads files and returns their paths, joined by commas. Photos are first converted to small JPGs. */
export async function uploadAttachments(
  prefix: AreaPrefix,
  kind: AttachmentKind,
  files: File[]
): Promise<UploadResult> {
  const form = new FormData()
  form.append('type', kind === 'photo' ? 'photo' : 'document')
  try {
    for (const [index, file] of files.entries()) {
      form.append(`${kind}_${index}`, kind === 'photo' ? await resizePhoto(file) : file)
    }
  } catch (error) {
    return { success: false, message: (error as Error).message }
  }
  const { data, message } = await call<{ chatFiles: { id: string; file: string }[] }>(
    `${prefix}/chat-file/upload`,
    { data: form, toasts: 'none' }
  )
  if (!data) return { success: false, message }
  return { success: true, files: data.chatFiles.map(({ file }) => file).join(',') }
}
