import { withRoom } from '#instances/containers/limits'
import { type Incus, powerOn } from '#packages/incus/main'

/** What the disk of an instance may have beyond its quota, so that it starts although it is full. */
const START_ROOM = 512 * 1024 ** 2

/**
 * Starts an instance although its disk may be full; nothing happens where it runs already.
 * @param quota bytes of its disk
 * @throws refusal `disk_full`
 */
export function startContainer(incus: Incus, name: string, quota = Infinity): Promise<void> {
  return powerOn(incus, name, (start) => withRoom(incus, name, start, quota + START_ROOM))
}
