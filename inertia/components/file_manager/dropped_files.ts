/** What was dropped on a page. Folders are relative paths, those that hold others first; `''` is where it was dropped. */
export interface DroppedFiles {
  files: { file: File; folder: string }[]
  folders: string[]
}

/** Reads files and whole folders that were dropped. To be called while the event is at hand: later it is empty. */
export async function readDroppedFiles({ items, files }: DataTransfer): Promise<DroppedFiles> {
  const dropped: DroppedFiles = { files: [], folders: [] }
  const fileItems = [...items].filter(({ kind }) => kind === 'file')
  const entries = fileItems.map((item) => item.webkitGetAsEntry?.() ?? null)
  if (!entries.some((entry) => entry?.isDirectory)) {
    return { ...dropped, files: [...files].map((file) => ({ file, folder: '' })) }
  }
  for (const entry of entries) if (entry) await readEntry(entry, '', dropped)
  return dropped
}

async function readEntry(
  entry: FileSystemEntry,
  folder: string,
  into: DroppedFiles
): Promise<void> {
  if (isFileEntry(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    into.files.push({ file, folder })
  } else if (isDirectoryEntry(entry)) {
    const inside = folder ? `${folder}/${entry.name}` : entry.name
    into.folders.push(inside)
    const reader = entry.createReader()
    // It answers a hundred at a time, at its end none.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject)
      )
      if (some.length === 0) return
      for (const each of some) await readEntry(each, inside, into)
    }
  }
}

const isFileEntry = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectoryEntry = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry =>
  entry.isDirectory
