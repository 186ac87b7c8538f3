import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { VaultError } from '../errors.js'
import { BLOCK_BYTES, BlockPool } from '../store/block_pool.js'
import { splitIntoBlocks, LargeFileWriter } from '../store/large_file.js'

const run = promisify(execFile)

/** Splits bytes into chunks. The default size is not a multiple of a block or sector. */
async function* pieces(bytes: Buffer, size = 65_437): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const factsOf = (bytes: Buffer) => ({
  size: bytes.length,
  md5: createHash('md5').update(bytes).digest('hex'),
})

test.group('Large files', (group) => {
  let folder: string
  let large: LargeFileWriter
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-large-'))
    large = new LargeFileWriter()
    return async () => {
      await large.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
  const write = (name: string, bytes: Buffer, size?: number) =>
    large.write(join(folder, name), splitIntoBlocks(pieces(bytes, size)))
  const read = (name: string) => readFile(join(folder, name))

  test('a file has the right content for every size near a block or sector boundary', async ({
    assert,
  }) => {
    const edges = [
      1,
      511,
      4_095,
      4_096,
      4_097,
      BLOCK_BYTES - 1,
      BLOCK_BYTES,
      BLOCK_BYTES + 1,
      3 * BLOCK_BYTES,
      3 * BLOCK_BYTES + 5,
    ]
    for (const size of edges) {
      const bytes = randomBytes(size)
      assert.deepEqual(await write(String(size), bytes), factsOf(bytes), String(size))
      assert.isTrue((await read(String(size))).equals(bytes), String(size))
    }
    const bytes = randomBytes(5 * BLOCK_BYTES + 77)
    assert.deepEqual(await write('in one piece', bytes, bytes.length), factsOf(bytes))
    assert.isTrue((await read('in one piece')).equals(bytes))
  })

  test('concurrent writes do not mix their bytes', async ({ assert }) => {
    const all = Array.from({ length: 24 }, (_, at) => randomBytes(BLOCK_BYTES + at * 100_003))
    const found = await Promise.all(all.map((bytes, at) => write(String(at), bytes)))
    assert.deepEqual(found, all.map(factsOf))
    for (const [at, bytes] of all.entries()) assert.isTrue((await read(String(at))).equals(bytes))
  })

  test('writes that wait for data do not delay other writes', async ({ assert }) => {
    const ending = Promise.withResolvers<void>()
    const still = Array.from({ length: 20 }, async (_, at) => {
      const source = async function* () {
        yield Buffer.alloc(BLOCK_BYTES + 1, at)
        await ending.promise
      }
      return large.write(join(folder, `still-${at}`), splitIntoBlocks(source()))
    })
    const bytes = randomBytes(4 * BLOCK_BYTES)
    assert.deepEqual(await write('moving', bytes), factsOf(bytes))
    ending.resolve()
    for (const { size } of await Promise.all(still)) assert.equal(size, BLOCK_BYTES + 1)
  })

  test('if the hashing thread crashes, its running writes fail, and later ones succeed', async ({
    assert,
  }) => {
    const bytes = randomBytes(3 * BLOCK_BYTES)
    const dying = async function* () {
      yield* pieces(bytes)
      await large.stop()
      yield* pieces(bytes)
    }
    const files = async () => (await readdir('/proc/self/fd')).length
    await write('before', bytes)
    const open = await files()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) =>
        large.write(join(folder, `${at}`), splitIntoBlocks(dying()))
      )
    )
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected')
      const { reason } = outcome as PromiseRejectedResult
      assert.instanceOf(reason, VaultError)
      assert.equal((reason as VaultError).status, 503)
    }
    const after = await Promise.all(
      Array.from({ length: 12 }, (_, at) => write(`after-${at}`, bytes))
    )
    for (const facts of after) assert.deepEqual(facts, factsOf(bytes))
    assert.isAtMost(await files(), open + 2)
  })

  test('an error of the source is thrown, and the file is closed', async ({ assert }) => {
    const source = async function* () {
      yield Buffer.alloc(2 * BLOCK_BYTES)
      throw new Error('The sender is gone')
    }
    await write('before', Buffer.alloc(BLOCK_BYTES))
    const open = (await readdir('/proc/self/fd')).length
    for (let at = 0; at < 12; at++) {
      const writing = large.write(join(folder, String(at)), splitIntoBlocks(source()))
      await assert.rejects(() => writing, 'The sender is gone')
    }
    assert.isAtMost((await readdir('/proc/self/fd')).length, open)
    const bytes = randomBytes(2 * BLOCK_BYTES)
    assert.deepEqual(await write('after', bytes), factsOf(bytes))
  })

  test('a file system without O_DIRECT works too', async ({ assert, cleanup }) => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    const mounted = await run('mount', ['-t', 'ramfs', 'ramfs', disk]).then(
      () => true,
      () => false
    )
    if (mounted) cleanup(() => run('umount', ['-l', disk]).then(() => {}))
    for (const size of [BLOCK_BYTES, 2 * BLOCK_BYTES + 5]) {
      const bytes = randomBytes(size)
      assert.deepEqual(await write(`disk/${size}`, bytes), factsOf(bytes))
      assert.isTrue((await read(`disk/${size}`)).equals(bytes))
    }
  })

  test('waiting writes get blocks of memory in the order of their requests', async ({ assert }) => {
    const blocks = new BlockPool(1)
    const first = await blocks.take()
    const got: number[] = []
    const waiting = [1, 2, 3].map(async (who) => {
      const block = await blocks.take()
      got.push(who)
      blocks.give(block)
    })
    assert.deepEqual(got, [])
    blocks.give(first)
    await Promise.all(waiting)
    assert.deepEqual(got, [1, 2, 3])
  })
})
