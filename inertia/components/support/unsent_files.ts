import { createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval'
import type { AreaPrefix } from '~/area_prefix'
import type { SelectedFile } from './upload_attachments'

type UnsentFile = Pick<SelectedFile, 'kind' | 'file'>

let openedStore: UseStore | undefined
/** Latest change of the browser storage. Changes run one after another, so that the latest one is written last. */
let lastTask: Promise<unknown> = Promise.resolve()

/** Runs `work` after earlier changes. If the browser storage fails, returns `otherwise`. */
const enqueue = <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
  const done = lastTask.then(work).catch(() => otherwise)
  lastTask = done
  return done
}

const store = () => (openedStore ??= createStore('berth-support', 'files'))

/** `prefix` is necessary, because one browser can be signed in as customer and as staff. */
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

export function saveUnsentFiles(owner: UnsentFilesOwner, selectedFiles: SelectedFile[]): void {
  const files = selectedFiles.map(({ kind, file }): UnsentFile => ({ kind, file }))
  void enqueue(async () => {
    if (files.length > 0) await set(storageKeyFor(owner), files, store())
    else await delMany([storageKeyFor(owner)], store())
  }, undefined)
}

/** Also deletes the files of other people who used this area in this browser. */
export function loadUnsentFiles(owner: UnsentFilesOwner): Promise<UnsentFile[]> {
  const { prefix, me } = owner
  return enqueue(async () => {
    await deleteOthersFiles(prefix, (key) => key.startsWith(`${prefix}:${me}:`))
    return (await get<UnsentFile[]>(storageKeyFor(owner), store())) ?? []
  }, [])
}

export function deleteAllUnsentFiles(prefix: AreaPrefix): Promise<void> {
  return enqueue(() => deleteOthersFiles(prefix, () => false), undefined)
}
