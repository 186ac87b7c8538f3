/** A file with the folder that it goes to. */
export interface Placed {
  file: File
  folder: string
}

const below = (folder: string, name: string) => (folder ? `${folder}/${name}` : name)

/** Everything that was dropped, folders with what is in them. Must be called while the event is handled. */
export async function droppedFiles(data: DataTransfer, folder: string): Promise<Placed[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const found = items.map((item) => {
    const entry = item.webkitGetAsEntry?.()
    const file = item.getAsFile()
    if (entry?.isDirectory) return filesIn(entry as FileSystemDirectoryEntry, folder)
    return file ? [{ file, folder }] : []
  })
  return (await Promise.all(found)).flat()
}

async function filesIn(entry: FileSystemDirectoryEntry, above: string): Promise<Placed[]> {
  const folder = below(above, entry.name)
  const found = (await entriesOf(entry)).map(async (one) => {
    if (one.isDirectory) return filesIn(one as FileSystemDirectoryEntry, folder)
    const file = await new Promise<File>((done, fail) =>
      (one as FileSystemFileEntry).file(done, fail)
    )
    return [{ file, folder }]
  })
  return (await Promise.all(found)).flat()
}

/** A directory is read in parts, until one is empty. */
async function entriesOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
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
