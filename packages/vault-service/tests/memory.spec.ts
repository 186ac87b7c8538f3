import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createS3TestVault } from '../s3/tests/client.js'
import { startVaultProcess, type VaultProcess } from './vault_process.js'

const run = promisify(execFile)
const BYTES_PER_MIB = 1_024 ** 2
/** Size of the objects: more than three times the allowed growth of memory. */
const LARGE_OBJECT_BYTES = 512 * BYTES_PER_MIB
const PART_BYTES = 64 * BYTES_PER_MIB
/** Maximum growth of memory during large transfers, for blocks, network buffers and garbage. */
const MAX_GROWTH_BYTES = 160 * BYTES_PER_MIB

/** Returns the peak memory in bytes since the previous call. */
async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  // Writing 5 to `clear_refs` resets the peak (proc(5)).
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1_024
}

test.group('Memory of the vault service', (group) => {
  let folder: string
  let service: VaultProcess
  group.each.timeout(1_800_000)
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    return async () => {
      await service?.kill()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('uploads, multipart uploads and reads of large objects need little memory', async ({
    assert,
  }) => {
    service = await startVaultProcess(folder)
    const { client: s3, accessKeyId, secretKey, key } = await createS3TestVault(service)
    const signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', `${accessKeyId}:${secretKey}`]
    const curl = (argv: string[]) =>
      run('curl', ['-sSf', '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD', ...signed, ...argv])
    const sparse = async (size: number) => {
      const path = join(folder, `sparse-${size}`)
      // Uploads of the same size share a file.
      if (existsSync(path)) return path
      await writeFile(path, '')
      await truncate(path, size)
      return path
    }
    const at = `${service.url}/${key}`
    const put = async (query: string, size: number) => {
      const headers = join(folder, `headers-${encodeURIComponent(query)}`)
      await curl(['-T', await sparse(size), '-D', headers, '-o', '/dev/null', `${at}/${query}`])
      return /etag: (\S+)/i.exec(await readFile(headers, 'utf8'))![1]
    }
    const get = (name: string) =>
      curl(['-o', '/dev/null', '-w', '%{size_download}', `${at}/${name}`])

    for (const name of ['a', 'b', 'c', 'd']) {
      await put(name, PART_BYTES)
      await get(name)
    }
    const before = await peak(service.pid)
    const grown: Record<string, number> = {}
    const during = async (what: string, work: () => Promise<unknown>) => {
      await work()
      grown[what] = (await peak(service.pid)) - before
    }
    await during('whole', () => put('whole', LARGE_OBJECT_BYTES))
    await during('in parts', async () => {
      const where = { Bucket: key, Key: 'in-parts' }
      const { UploadId } = await s3.createMultipartUpload(where)
      const Parts: { PartNumber: number; ETag: string }[] = []
      for (let first = 1; first <= LARGE_OBJECT_BYTES / PART_BYTES; first += 4) {
        const some = [0, 1, 2, 3].map(async (more) => {
          const PartNumber = first + more
          const ETag = await put(
            `in-parts?partNumber=${PartNumber}&uploadId=${UploadId}`,
            PART_BYTES
          )
          Parts.push({ PartNumber, ETag })
        })
        await Promise.all(some)
      }
      Parts.sort((one, other) => one.PartNumber - other.PartNumber)
      const files = () => readdir(join(folder, 'bodies'), { recursive: true })
      const there = await files()
      await s3.completeMultipartUpload({ ...where, UploadId, MultipartUpload: { Parts } })
      // The completed object uses the files of its parts, so no new file may exist.
      assert.deepEqual(await files(), there)
    })
    await during('out', async () => {
      const sizes = await Promise.all(['whole', 'in-parts', 'whole'].map(get))
      for (const { stdout } of sizes) assert.equal(Number(stdout), LARGE_OBJECT_BYTES)
    })
    if (process.env.VAULT_LOG) process.stderr.write(`${JSON.stringify({ before, grown })}\n`)
    for (const [what, bytes] of Object.entries(grown)) {
      assert.isBelow(bytes, MAX_GROWTH_BYTES, `${what}: ${Math.round(bytes / BYTES_PER_MIB)} MB`)
    }
    s3.destroy()
  })
})
