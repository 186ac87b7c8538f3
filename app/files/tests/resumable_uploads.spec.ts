import { MAX_PARALLEL_PARTS } from '#files/errors'
import { deleteOldTemporaryFiles } from '#files/schedules/delete_old_temporary_files'
import { BrowserFile } from '#files/tests/browser_file'
import Member from '#accounts/models/member'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import type { ServerInstance } from '#instances/public'
import type { Person } from '#identity/public'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MIB = 1024 ** 2

let machine: WebRootMachine
let customer: Person
let instance: ServerInstance
let visitor: Visitor

const fileOf = (
  name: string,
  content: Buffer,
  query: Record<string, string> = {},
  by = visitor,
  area = ''
) => new BrowserFile(by, instance.id, name, content, query, area)

const unfinished = async () =>
  (await readdir(machine.root)).filter((name) => name.startsWith('.berth-'))
const storedFile = (name: string) => readFile(join(machine.root, name))

/**
 * Waits until an interrupted upload can continue at the offset `least` or a later one. Returns that
 * offset.
 */
const settled = (file: BrowserFile, least: number) =>
  eventually(async () => {
    const { offset } = await file.progress()
    if (typeof offset !== 'number' || offset < least) throw new Error(`at ${offset}`)
    return offset
  })

test.group('Resumable uploads', (group) => {
  group.each.setup(async () => {
    machine = await startWebRootMachine()
    customer = await makeCustomer()
    instance = await machine.instanceOf(customer)
    visitor = await signIn(customer)
    return () => machine.stop()
  })

  test('are stored completely after interruptions at several offsets', async ({ assert }) => {
    const file = fileOf('ভাষা big.bin', randomBytes(17 * MIB + 5))
    assert.deepInclude(await file.progress(), { status: 200, offset: 0, hasOtherVersion: false })
    let offset = 0
    for (const sent of [100, MIB - 1, MIB, 3 * MIB + 7]) {
      const call = file.openPart(offset, sent, 16 * MIB)
      const whole = offset + sent - ((offset + sent) % MIB)
      // Waits until the bytes are stored. They could otherwise be lost with the connection's buffers.
      await eventually(async () => {
        const [name] = await unfinished()
        assert.isAtLeast((await stat(join(machine.root, name))).size, whole)
      })
      call.destroy()
      offset = await settled(file, whole)
      assert.equal(offset, whole)
    }
    assert.deepEqual(await file.finish(), [409, 'wrong_offset'])
    assert.deepEqual(await file.part(offset, 16 * MIB), [200, undefined])
    assert.deepEqual(await file.part(16 * MIB), [200, undefined])
    assert.equal((await file.progress()).offset, file.content.length)
    assert.deepEqual(await file.finish(), [201, undefined])
    assert.isTrue(file.content.equals(await storedFile(file.name)))
    assert.deepEqual(await unfinished(), [])
    // A repeated request also succeeds, because the first response may have been lost.
    assert.deepEqual(await file.finish(), [201, undefined])
    assert.equal((await stat(join(machine.root, file.name))).mode & 0o777, 0o644)
  })

  test('succeed twice if two calls finish the same file', async ({ assert }) => {
    const file = fileOf('twice.bin', randomBytes(32 * MIB))
    for (const offset of [0, 16 * MIB])
      assert.deepEqual(await file.part(offset, offset + 16 * MIB), [200, undefined])
    const done = [201, undefined]
    assert.deepEqual(await Promise.all([file.finish(), file.finish()]), [done, done])
    assert.isTrue(file.content.equals(await storedFile('twice.bin')))
  })

  test('are unchanged by wrong offsets, repeated parts and wrong lengths', async ({ assert }) => {
    const file = fileOf('a.bin', randomBytes(3 * MIB))
    assert.deepEqual(await file.part(MIB), [409, 'wrong_offset'])
    assert.deepEqual(await unfinished(), [])
    assert.deepEqual(await file.part(0, MIB), [200, undefined])
    for (const offset of [0, 1, 2 * MIB])
      assert.deepEqual(await file.part(offset, 2 * MIB + 1), [409, 'wrong_offset'])
    assert.deepEqual(await file.part(MIB, 4 * MIB), [413, 'too_large'])
    assert.deepEqual(await file.part(MIB, 2 * MIB, randomBytes(2 * MIB)), [413, 'too_large'])
    const short = await file.part(MIB, 3 * MIB, file.content.subarray(MIB, 2 * MIB))
    assert.deepEqual(short, [400, 'cut_off'])
    assert.equal((await file.progress()).offset, 2 * MIB)
    assert.deepEqual(await file.part(2 * MIB), [200, undefined])
    assert.deepEqual(await file.finish(), [201, undefined])
    assert.isTrue(file.content.equals(await storedFile('a.bin')))
  })

  test('can be continued only by the person who started them', async ({ assert }) => {
    const mine = fileOf('mine.bin', randomBytes(2 * MIB))
    assert.deepEqual(await mine.part(0, MIB), [200, undefined])
    const colleague = await makeCustomer()
    await Member.create({ accountId: customer.id, personId: colleague.id, role: 'developer' })
    const member = await signIn(colleague)
    await member.post('/account/switch', { id: customer.id })
    const staff = await signIn(await makeStaff('administrator'))
    for (const [by, area] of [
      [member, ''],
      [staff, '/admin'],
    ] as const) {
      const other = fileOf('mine.bin', mine.content, {}, by, area)
      assert.deepInclude(await other.progress(), { status: 200, offset: 0, hasOtherVersion: false })
      assert.deepEqual(await other.part(MIB), [409, 'wrong_offset'])
      assert.deepEqual(await other.finish(), [409, 'wrong_offset'])
      assert.equal(await other.discard(), 200)
    }
    const stranger = fileOf('mine.bin', mine.content, {}, await signIn(await makeCustomer()))
    assert.equal((await stranger.progress()).status, 404)
    assert.equal((await mine.progress()).offset, MIB)
  })

  test('start again if the file changed, and replace its earlier version', async ({ assert }) => {
    const first = fileOf('log.txt', randomBytes(2 * MIB))
    await first.part(0, MIB)
    const head = Buffer.concat([randomBytes(1), first.content.subarray(1)])
    const changes = [
      fileOf('log.txt', Buffer.concat([first.content, randomBytes(1)])),
      fileOf('log.txt', first.content, { modified: '1700000000001' }),
      fileOf('log.txt', head),
    ]
    for (const changed of changes)
      assert.deepInclude(await changed.progress(), { offset: 0, hasOtherVersion: true })
    const [last] = changes.slice(-1)
    assert.deepEqual(await last.part(0), [200, undefined])
    assert.lengthOf(await unfinished(), 1)
    assert.equal((await first.progress()).offset, 0)
    const other = fileOf('other.txt', first.content)
    assert.deepInclude(await other.progress(), { offset: 0, hasOtherVersion: false })
    assert.deepEqual(await last.finish(), [201, undefined])
    assert.isTrue(head.equals(await storedFile('log.txt')))
  })

  test('with content that differs from the hash are deleted, and the old file stays', async ({
    assert,
  }) => {
    await writeFile(join(machine.root, 'page.zip'), 'old')
    const file = fileOf('page.zip', randomBytes(2 * MIB), { overwrite: 'true' })
    await file.part(0, MIB)
    // The second half of the file changed after the first part was sent.
    await file.part(MIB, 2 * MIB, randomBytes(MIB))
    assert.deepEqual(await file.finish(), [409, 'differs'])
    assert.deepEqual(await unfinished(), [])
    assert.equal((await storedFile('page.zip')).toString(), 'old')
  })

  test('report a taken name before the first byte, and keep the received bytes if it is taken later', async ({
    assert,
  }) => {
    const file = fileOf('taken.bin', randomBytes(MIB))
    await file.part(0)
    await writeFile(join(machine.root, 'taken.bin'), 'old')
    assert.deepEqual(await file.finish(), [409, 'exists'])
    assert.deepInclude(await file.progress(), { status: 409, code: 'exists' })
    const again = fileOf('taken.bin', file.content, { overwrite: 'true' })
    assert.equal((await again.progress()).offset, MIB)
    assert.deepEqual(await again.finish(), [201, undefined])
    assert.isTrue(file.content.equals(await storedFile('taken.bin')))
    await mkdir(join(machine.root, 'folder'))
    const folder = fileOf('folder', file.content, { overwrite: 'true' })
    assert.deepInclude(await folder.progress(), { status: 409, code: 'exists' })
  })

  test('are rejected from a second tab, but a tab replaces its own lost connection', async ({
    assert,
  }) => {
    const first = fileOf('shared.bin', randomBytes(3 * MIB))
    const second = fileOf('shared.bin', first.content, { tab: 'b'.repeat(32) })
    const call = first.openPart(0, 2 * MIB)
    await eventually(async () => assert.lengthOf(await unfinished(), 1))
    assert.deepInclude(await second.progress(), { status: 409, code: 'busy' })
    assert.deepEqual(await second.part(0), [409, 'busy'])
    assert.equal(await second.discard(), 409)
    // The test does not close this connection, as if the server had not noticed that it was lost.
    const answers = new Set<number>()
    let offset = 0
    for (let tries = 0; tries < 5 && !answers.has(200); tries++) {
      offset = (await first.progress()).offset as number
      answers.add((await first.part(offset))[0] as number)
    }
    assert.isTrue(answers.has(200))
    assert.deepEqual(await first.finish(), [201, undefined])
    assert.isTrue(first.content.equals(await storedFile('shared.bin')))
    call.destroy()
  })

  test('are locked against writes by other processes of the console', async ({
    assert,
    cleanup,
  }) => {
    const file = fileOf('locked.bin', randomBytes(2 * MIB))
    await file.part(0, MIB)
    const path = join(machine.root, (await unfinished())[0])
    const holder = spawn('flock', [path, 'sh', '-c', 'echo held; read -r line'])
    cleanup(() => void holder.kill())
    await once(holder.stdout, 'data')
    assert.deepEqual(await file.part(MIB), [423, 'locked'])
    holder.stdin.end('\n')
    await once(holder, 'exit')
    assert.deepEqual(await file.part(MIB), [200, undefined])
    assert.deepEqual(await file.finish(), [201, undefined])
  })

  test('one person can send a limited number of parts at the same time', async ({ assert }) => {
    const calls = Array.from({ length: MAX_PARALLEL_PARTS }, (_, each) =>
      fileOf(`${each}.bin`, randomBytes(MIB)).openPart(0, 1000)
    )
    await eventually(async () => assert.lengthOf(await unfinished(), MAX_PARALLEL_PARTS))
    const more = fileOf('more.bin', randomBytes(MIB))
    assert.deepEqual(await more.part(0), [429, 'too_many'])
    for (const call of calls) call.destroy()
    await eventually(async () => assert.deepEqual(await more.part(0), [200, undefined]))
  })

  test('reject the same paths as other uploads, and an invalid hash, tab id or size', async ({
    assert,
  }) => {
    await symlink(machine.outside, join(machine.root, 'out'))
    const content = randomBytes(MIB)
    for (const [name, more, status] of [
      ['x', { path: '../outside' }, 422],
      ['x', { path: '/out' }, 422],
      ['x', { path: '/missing' }, 404],
      ['../x', {}, 422],
      ['.berth-x', {}, 422],
      ['x', { head: '../../etc' }, 422],
      ['x', { tab: '' }, 422],
      ['x', { size: '0' }, 422],
      ['x', { size: String(501 * MIB) }, 413],
    ] as [string, Record<string, string>, number][]) {
      const file = fileOf(name, content, more)
      assert.equal((await file.progress()).status, status, JSON.stringify([name, more]))
    }
    const outside = fileOf('x', content, { path: '/out' })
    await outside.part(0)
    assert.equal((await outside.finish())[0], 422)
    assert.deepEqual(await readdir(machine.outside), [])
  })

  test('do not follow a link in place of the temporary file', async ({ assert }) => {
    const file = fileOf('linked.bin', randomBytes(2 * MIB))
    await file.part(0, MIB)
    const [name] = await unfinished()
    const target = join(machine.outside, 'target')
    await writeFile(target, Buffer.alloc(MIB))
    await rm(join(machine.root, name))
    await symlink(target, join(machine.root, name))
    assert.equal((await file.part(0, MIB))[0], 409)
    assert.equal((await file.part(MIB))[0], 409)
    assert.isTrue((await readFile(target)).equals(Buffer.alloc(MIB)))
  })

  test('are deleted on cancellation, and after a day', async ({ assert }) => {
    const cancelled = fileOf('cancelled.bin', randomBytes(2 * MIB))
    await cancelled.part(0, MIB)
    const call = cancelled.openPart(MIB, 1000)
    // This second tab is rejected, because the instance still receives a part from the first one.
    const other = fileOf('cancelled.bin', cancelled.content, { tab: 'b'.repeat(32) })
    await eventually(async () => assert.deepEqual(await other.part(0), [409, 'busy']))
    assert.equal(await cancelled.discard(), 200)
    await eventually(async () => assert.deepEqual(await unfinished(), []))
    call.destroy()

    const old = fileOf('old.bin', randomBytes(2 * MIB))
    const fresh = fileOf('fresh.bin', randomBytes(2 * MIB))
    await old.part(0, MIB)
    const [name] = await unfinished()
    await fresh.part(0, MIB)
    const longAgo = Date.now() / 1000 - 25 * 3600
    await utimes(join(machine.root, name), longAgo, longAgo)
    // An interrupted Unzip or Clone operation leaves a hidden folder beside its target.
    for (const [folder, time] of [
      ['.berth-old', longAgo],
      ['.berth-new', Date.now() / 1000],
    ] as const) {
      await mkdir(join(machine.root, 'shop/app', folder), { recursive: true })
      await utimes(join(machine.root, 'shop/app', folder), time, time)
    }
    await deleteOldTemporaryFiles([instance])
    assert.deepEqual(await readdir(join(machine.root, 'shop/app')), ['.berth-new'])
    assert.lengthOf(await unfinished(), 1)
    assert.equal((await old.progress()).offset, 0)
    assert.equal((await fresh.progress()).offset, MIB)
  })

  test('of administrators are in the audit log once', async ({ assert }) => {
    const staff = await signIn(await makeStaff('administrator'))
    const file = fileOf('by staff.bin', randomBytes(MIB), {}, staff, '/admin')
    await file.part(0)
    await file.finish()
    const entries = await db
      .from('audit_entries')
      .where({ subject_type: 'server_instance', subject_id: String(instance.id) })
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['files.finish_upload']
    )
    const support = await signIn(await makeStaff('support'))
    const refused = fileOf('x', file.content, {}, support, '/admin')
    assert.equal((await refused.progress()).status, 403)
  })
})
