export interface DroppedFile {
  file: File
  folder: string
}

const joinPath = (folder: string, name: string) => (folder ? `${folder}/${name}` : name)

/** Call it during the drop event, because the browser empties the list afterwards. */
export async function readDroppedFiles(data: DataTransfer, folder: string): Promise<DroppedFile[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const entries = items.map((item) => {
    const entry = item.webkitGetAsEntry?.()
    const file = item.getAsFile()
    if (entry?.isDirectory) return readFolder(entry as FileSystemDirectoryEntry, folder)
    return file ? [{ file, folder }] : []
  })
  return (await Promise.all(entries)).flat()
}

async function readFolder(entry: FileSystemDirectoryEntry, above: string): Promise<DroppedFile[]> {
  const folder = joinPath(above, entry.name)
  const children = (await readEntries(entry)).map(async (one) => {
    if (one.isDirectory) return readFolder(one as FileSystemDirectoryEntry, folder)
    const file = await new Promise<File>((done, fail) =>
      (one as FileSystemFileEntry).file(done, fail)
    )
    return [{ file, folder }]
  })
  return (await Promise.all(children)).flat()
}

/** The browser returns entries in batches. An empty batch is the end. */
async function readEntries(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail)
    )
    if (part.length === 0) return all
    all.push(...part)
  }
}
