/** Dropped files. Folders are relative paths, parents first. `''` is the folder that they were dropped on. */
export interface DroppedFiles {
  files: { file: File; folder: string }[]
  folders: string[]
}

/** Call it during the event, because the browser empties the list afterwards. */
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
    // macOS sends names with decomposed characters. Links in web pages use composed ones and would not find such
    // files.
    const name = entry.name.normalize('NFC')
    const inside = folder ? `${folder}/${name}` : name
    into.folders.push(inside)
    const reader = entry.createReader()
    // Each call returns at most a hundred entries, and an empty list at the end.
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
