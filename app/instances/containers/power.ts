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

/** The setting with the version of `MEMORY_FILES` in an instance. */
const FILES = 'user.berth.files'
const FILES_VERSION = '1'
/** Settings of an instance whose image has these files. */
export const WITH_MEMORY_FILES: Record<string, string> = { [FILES]: FILES_VERSION }

/** What the disk of an instance may have beyond its quota, so that it starts although it is full. */
const START_ROOM = 512 * 1024 ** 2

/**
 * Starts an instance although its disk may be full; does nothing if it runs already. An instance that was
 * restored, moved or created by an older version first gets its isolation settings.
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

/** Writes the files that limit memory file systems into an instance whose image lacks them. */
async function putMemoryFiles(incus: Incus, name: string): Promise<void> {
  for (const [path, text] of Object.entries(MEMORY_FILES)) {
    const mode = path === TMPFS_PROGRAM ? '0755' : '0644'
    await incus.instances.makeDirectory(name, dirname(path)).catch((error: unknown) => {
      // The folder may exist already. If it is missing, `pushFile` fails as well.
      if (!isIncusError(error)) throw error
    })
    await incus.instances.pushFile(name, path, text, { mode })
  }
  await incus.instances.patch(name, { config: { [FILES]: FILES_VERSION } })
}
