/**
 * Allowed files by kind and extension, with the media type under which they are served
 * (docs/product.md, "Live support").
 */
export const fileTypes = {
  photo: { jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png' },
  document: {
    pdf: 'application/pdf',
    doc: 'application/msword',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xls: 'application/vnd.ms-excel',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ppt: 'application/vnd.ms-powerpoint',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    txt: 'text/plain; charset=utf-8',
    csv: 'text/csv; charset=utf-8',
    zip: 'application/zip',
  },
} as const

export type FileKind = keyof typeof fileTypes

/**
 * Returns the file name's extension in lower case. Null if it is not allowed for this kind of file.
 */
export function extensionOf(kind: FileKind, name: string): string | null {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1].toLowerCase() ?? ''
  return Object.hasOwn(fileTypes[kind], extension) ? extension : null
}

/** Returns a media type that browsers do not execute. */
export function servedType(kind: FileKind, extension: string): string {
  return (fileTypes[kind] as Record<string, string>)[extension] ?? 'application/octet-stream'
}
