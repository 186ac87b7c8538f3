import { createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval'
import type { AreaPrefix } from '~/area_prefix'
import type { SelectedFile } from './upload_attachments'

type UnsentFile = Pick<SelectedFile, 'kind' | 'file'>

let openedStore: UseStore | undefined
/** One change after another, so that the last one stands. */
let lastTask: Promise<unknown> = Promise.resolve()

/** Where a browser keeps nothing, files are chosen again after a reload. */
const enqueue = <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
  const done = lastTask.then(work).catch(() => otherwise)
  lastTask = done
  return done
}

const store = () => (openedStore ??= createStore('berth-support', 'files'))

/** Whose they are: one browser can be customer and staff at once. */
export interface UnsentFilesOwner {
  prefix: AreaPrefix
  me: number
  client: number
}

const storageKeyFor = ({ prefix, me, client }: UnsentFilesOwner) => `${prefix}:${me}:${client}`

async function deleteOthersFiles(
  prefix: AreaPrefix,
  stays: (key: string) => boolean
): Promise<void> {
  const all = await keys<string>(store())
  const going = all.filter((key) => key.startsWith(`${prefix}:`) && !stays(key))
  await delMany(going, store())
}

/** Keeps what this person chose for a conversation and has not sent; nothing of it stays once it is sent or left. */
export function saveUnsentFiles(owner: UnsentFilesOwner, selectedFiles: SelectedFile[]): void {
  const files = selectedFiles.map(({ kind, file }): UnsentFile => ({ kind, file }))
  void enqueue(async () => {
    if (files.length > 0) await set(storageKeyFor(owner), files, store())
    else await delMany([storageKeyFor(owner)], store())
  }, undefined)
}

/** What this person had chosen before the reload. What others left in this browser is thrown away, never shown. */
export function loadUnsentFiles(owner: UnsentFilesOwner): Promise<UnsentFile[]> {
  const { prefix, me } = owner
  return enqueue(async () => {
    await deleteOthersFiles(prefix, (key) => key.startsWith(`${prefix}:${me}:`))
    return (await get<UnsentFile[]>(storageKeyFor(owner), store())) ?? []
  }, [])
}

/** For a page on which nobody is signed in to the area. */
export function deleteAllUnsentFiles(prefix: AreaPrefix): Promise<void> {
  return enqueue(() => deleteOthersFiles(prefix, () => false), undefined)
}
