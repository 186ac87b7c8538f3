import { isKeptApart, keepApart } from '#instances/containers/apart'
import { withRoom } from '#instances/containers/limits'
import {
  type Incus,
  isIncusError,
  MEMORY_FILES,
  powerOn,
  TMPFS_PROGRAM,
} from '#packages/incus/main'
import { dirname } from 'node:path'

/** Says which version of `MEMORY_FILES` is in an instance. */
const FILES = 'user.berth.files'
const FILES_VERSION = '1'
/** The setting of an instance that is made of an image with these files. */
export const WITH_MEMORY_FILES: Record<string, string> = { [FILES]: FILES_VERSION }

/** What the disk of an instance may have beyond its quota, so that it starts although it is full. */
const START_ROOM = 512 * 1024 ** 2

/**
 * Starts an instance although its disk may be full; nothing happens where it runs already. One that
 * was restored, moved or made by an older version gets what keeps it apart before.
 * @param quota bytes of its disk
 * @throws refusal `disk_full`
 */
export function startContainer(incus: Incus, name: string, quota = Infinity): Promise<void> {
  return powerOn(incus, name, async (start) => {
    const { config } = await incus.instances.get(name)
    if (!isKeptApart(config)) await keepApart(incus, name, config)
    await withRoom(
      incus,
      name,
      async () => {
        if (config[FILES] !== FILES_VERSION) await putMemoryFiles(incus, name)
        return start()
      },
      quota + START_ROOM
    )
  })
}

/** Bounds the memory file systems of an instance whose image did not do it. */
async function putMemoryFiles(incus: Incus, name: string): Promise<void> {
  for (const [path, text] of Object.entries(MEMORY_FILES)) {
    const mode = path === TMPFS_PROGRAM ? '0755' : '0644'
    await incus.instances.makeDirectory(name, dirname(path)).catch((error: unknown) => {
      // A folder that is there already; one that is missing fails the file, too.
      if (!isIncusError(error)) throw error
    })
    await incus.instances.pushFile(name, path, text, { mode })
  }
  await incus.instances.patch(name, { config: { [FILES]: FILES_VERSION } })
}
