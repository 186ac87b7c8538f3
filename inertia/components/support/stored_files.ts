import { createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval'
import type { Prefix } from '~/area'
import type { SelectedFile } from './uploads'

type Kept = Pick<SelectedFile, 'kind' | 'file'>

let opened: UseStore | undefined
/** One change after another, so that the last one stands. */
let working: Promise<unknown> = Promise.resolve()

/** Where a browser keeps nothing, files are chosen again after a reload. */
const inTurn = <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
  const done = working.then(work).catch(() => otherwise)
  working = done
  return done
}

const store = () => (opened ??= createStore('berth-support', 'files'))

/** Whose they are: one browser can be customer and staff at once. */
export interface FileOwner {
  prefix: Prefix
  me: number
  client: number
}

const keyOf = ({ prefix, me, client }: FileOwner) => `${prefix}:${me}:${client}`

async function forgetOthers(prefix: Prefix, stays: (key: string) => boolean): Promise<void> {
  const all = await keys<string>(store())
  const going = all.filter((key) => key.startsWith(`${prefix}:`) && !stays(key))
  await delMany(going, store())
}

/** Keeps what this person chose for a conversation and has not sent; nothing of it stays once it is sent or left. */
export function keepFiles(whose: FileOwner, chosen: SelectedFile[]): void {
  const files = chosen.map(({ kind, file }): Kept => ({ kind, file }))
  void inTurn(async () => {
    if (files.length > 0) await set(keyOf(whose), files, store())
    else await delMany([keyOf(whose)], store())
  }, undefined)
}

/** What this person had chosen before the reload. What others left in this browser is thrown away, never shown. */
export function loadStoredFiles(whose: FileOwner): Promise<Kept[]> {
  const { prefix, me } = whose
  return inTurn(async () => {
    await forgetOthers(prefix, (key) => key.startsWith(`${prefix}:${me}:`))
    return (await get<Kept[]>(keyOf(whose), store())) ?? []
  }, [])
}

/** For a page on which nobody is signed in to the area. */
export function forgetFiles(prefix: Prefix): Promise<void> {
  return inTurn(() => forgetOthers(prefix, () => false), undefined)
}
