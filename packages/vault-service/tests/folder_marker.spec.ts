import { test } from '@japa/runner'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually'
import { VaultControlClient } from '../control/client.js'
import { bodiesFolder, folderMarkerFile } from '../folders.js'
import { startVaultService } from '../main.js'
import { Database } from '../store/database.js'
import {
  createTestVault,
  stopVaultService,
  testServiceOptions,
  type CreatedVault,
} from './test_service.js'

test.group('Mark of the vault folder', (group) => {
  let folder: string
  let other: string
  let database: Database
  let vault: CreatedVault
  group.each.setup(async () => {
    await stopVaultService()
    database = new Database(process.env.VAULT_DATABASE_URL!, 1)
    folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    other = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    const service = await start(folder)
    vault = await createTestVault(service)
    await upload(service.url, 'a.bin')
    await service.stop()
    return async () => {
      await database.close()
      for (const path of [folder, other]) await rm(path, { recursive: true, force: true })
    }
  })

  async function start(path: string, onFatal: (why: string) => void = () => {}) {
    const told = testServiceOptions(folder)
    const log: object[] = []
    const service = await startVaultService({
      ...told,
      folder: path,
      onFatal,
      log: (entry) => log.push(entry),
    })
    const url = `http://127.0.0.1:${service.port}`
    const control = new VaultControlClient({ url, key: told.controlKey })
    return { url, log, control, healthy: service.healthy, stop: service.stop }
  }

  async function upload(url: string, name: string): Promise<number> {
    const form = new FormData()
    form.set('filename', name)
    form.set('file', new Blob([new Uint8Array(20_000)]), name)
    const headers = { 'x-secret-key': vault.secret, 'x-access-key-id': String(vault.accountId) }
    const answer = await fetch(`${url}/upload`, { method: 'POST', headers, body: form })
    await answer.arrayBuffer()
    return answer.status
  }

  const health = async (url: string) => {
    const answer = await fetch(`${url}/health`)
    return { code: answer.status, status: ((await answer.json()) as { status: string }).status }
  }
  const mark = async () =>
    (await database.row<{ mark: string }>('select mark from vault.folder_mark'))!.mark

  test('a new folder gets the same mark as the database tables', async ({ assert }) => {
    assert.equal((await readFile(folderMarkerFile(folder), 'utf8')).trim(), await mark())
    const again = await start(folder)
    assert.deepEqual(await health(again.url), { code: 200, status: 'ok' })
    assert.equal((await fetch(`${again.url}/${vault.key}/a.bin`)).status, 200)
    await again.stop()
  })

  test('rejects all requests while the folder is empty, until the right folder is mounted', async ({
    assert,
  }) => {
    const ends: string[] = []
    const began = performance.now()
    const service = await start(other, (why) => ends.push(why))
    try {
      assert.isFalse(await service.healthy())
      const { code, status } = await health(service.url)
      assert.equal(code, 503)
      assert.match(
        status,
        /is not the folder of these vaults\. Its mark file is missing\. .*mount it/
      )
      assert.include(JSON.stringify(service.log), 'is not the folder of these vaults')
      assert.equal(await upload(service.url, 'b.bin'), 503)
      assert.equal((await fetch(`${service.url}/${vault.key}/a.bin`)).status, 503)
      await assert.rejects(
        () => service.control.call('vaults', { ids: [vault.id] }),
        /Vaults are not available at the moment/
      )
      assert.isBelow(performance.now() - began, 30_000)
      await cp(folder, other, { recursive: true })
      await eventually(() =>
        assert.deepEqual(ends, ['the folder is usable again, so the service restarts'])
      )
    } finally {
      await service.stop()
    }
    const now = await start(other)
    assert.equal((await fetch(`${now.url}/${vault.key}/a.bin`)).status, 200)
    await now.stop()
  })

  test('rejects the folder of another installation, even if it contains files', async ({
    assert,
  }) => {
    await cp(folder, other, { recursive: true })
    await writeFile(folderMarkerFile(other), 'another mark\n')
    const service = await start(other)
    const { status } = await health(service.url)
    assert.match(status, /Its mark file belongs to another installation/)
    assert.include(status, `run as root: echo adopt > ${folderMarkerFile(other)}`)
    await service.stop()
    // An operator writes `adopt`, so that the service accepts the other folder. From then on, it rejects the first
    // folder.
    await writeFile(folderMarkerFile(other), 'adopt\n')
    const adopted = await start(other)
    assert.equal((await health(adopted.url)).code, 200)
    await adopted.stop()
    assert.equal((await readFile(folderMarkerFile(other), 'utf8')).trim(), await mark())
    const first = await start(folder)
    assert.match((await health(first.url)).status, /Its mark file belongs to another installation/)
    await first.stop()
  })

  test('without marks, only a folder that contains the files of the tables’ objects is accepted', async ({
    assert,
  }) => {
    // Removes objects of other tests from the shared tables, because the folders with their files no longer exist.
    await database.rows('delete from vault.objects where vault_id <> $1', [vault.id])
    const unmark = async () => {
      await database.rows('delete from vault.folder_mark')
      await rm(folderMarkerFile(folder), { force: true })
    }
    await unmark()
    const wrong = await start(other)
    assert.match((await health(wrong.url)).status, /1 of 1 checked files are missing/)
    await wrong.stop()
    const right = await start(folder)
    assert.equal((await health(right.url)).code, 200)
    await right.stop()
    assert.equal((await readFile(folderMarkerFile(folder), 'utf8')).trim(), await mark())
  })

  test('rejects an older copy of the folder, such as that of a cloned machine, after the next start or stop', async ({
    assert,
  }) => {
    const serves = async (path: string) => {
      const service = await start(path)
      const { code, status } = await health(service.url)
      await service.stop()
      if (code !== 200) assert.match(status, /an earlier state of these vaults/)
      return code === 200
    }
    const running = await start(folder)
    await cp(folder, other, { recursive: true })
    await running.stop()
    assert.isFalse(await serves(other), 'copied while the service ran')
    await rm(other, { recursive: true })
    await cp(folder, other, { recursive: true })
    assert.isTrue(await serves(folder))
    assert.isFalse(await serves(other), 'copied while it was stopped')
    assert.isTrue(await serves(folder))
  })

  test('accepts tables restored from an earlier backup, and the state after an interrupted start', async ({
    assert,
  }) => {
    const { claimFolder, folderProblem } = await import('../folder_marker.js')
    const [before, first] = [await mark(), await readFile(folderMarkerFile(folder), 'utf8')]
    await claimFolder(database, folder)
    await claimFolder(database, folder)
    const latest = await mark()
    const setMark = (text: string) =>
      database.rows('update vault.folder_mark set mark = $1', [text])
    // A claim writes the history, the mark file and the table, in this order. The state after the second write must be
    // accepted too.
    await setMark(before)
    assert.isUndefined(await folderProblem(database, folder))
    // The state after the first write must be accepted too.
    await writeFile(folderMarkerFile(folder), first)
    assert.isUndefined(await folderProblem(database, folder))
    await setMark(latest)
    assert.isUndefined(await folderProblem(database, folder))
    await setMark('another mark')
    assert.match((await folderProblem(database, folder))!, /belongs to another installation/)
    await setMark(latest)
  })

  test('a running service detects that the folder has lost its mark', async ({ assert }) => {
    const { folderProblem } = await import('../folder_marker.js')
    assert.isUndefined(await folderProblem(database, folder))
    await rename(bodiesFolder(folder), `${folder}-bodies`)
    await rm(folderMarkerFile(folder))
    assert.match((await folderProblem(database, folder))!, /Its mark file is missing/)
    await rm(`${folder}-bodies`, { recursive: true })
  })
})
