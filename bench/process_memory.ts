import { readdir, readFile } from 'node:fs/promises'

export interface ProcessMemory {
  pid: number
  command: string[]
  /**
   * Memory in MiB (proportional set size). If several processes share a memory page, each is charged a part of it.
   */
  mb: number
}

/** Returns the memory of a process and of all its descendants, without those whose `smaps_rollup` cannot be read. */
export async function measureProcessMemory(pid: number): Promise<ProcessMemory[]> {
  const all = await Promise.all((await readdir('/proc')).filter(isNumber).map(look))
  const there = all.filter((each) => each !== undefined)
  const family = new Set([pid])
  // Repeats this until no further process is found. If process IDs have started again from the lowest, a child may be
  // listed before its parent.
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const each of there) if (family.has(each.parent)) family.add(each.pid)
  }
  return there.filter((each) => family.has(each.pid))
}

export function sumMemoryMb(held: ProcessMemory[]): number {
  return held.reduce((total, { mb }) => total + mb, 0)
}

const isNumber = (name: string) => /^\d+$/.test(name)

async function look(name: string): Promise<(ProcessMemory & { parent: number }) | undefined> {
  const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8')
  try {
    const [status, command, memory] = await Promise.all(
      ['status', 'cmdline', 'smaps_rollup'].map(read)
    )
    return {
      pid: Number(name),
      parent: Number(/^PPid:\s*(\d+)/m.exec(status)![1]),
      command: command.split('\0').slice(0, -1),
      mb: Number(/^Pss:\s*(\d+)/m.exec(memory)?.[1] ?? 0) / 1024,
    }
  } catch {
    // The process has ended in the meantime, or this process may not read its memory.
    return undefined
  }
}
