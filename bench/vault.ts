import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { typescriptLoaderArgs, installRoot } from '../cli/paths.js'
import {
  interleave,
  median,
  resultRow,
  measureMs,
  type Bench,
  type ResultRow,
} from './measurement.js'
import { runCommand } from './openssh.js'
import { berthVault, type BerthVault } from './vault/berth.js'
import {
  getObjectsScript,
  measureRequestRate,
  sendNewNamesScript,
  type Load,
} from './vault/load.js'
import { nginx, s3rver, type Other } from './vault/reference_servers.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const duration = Number(process.env.DURATION ?? 2000)
/** Total size of the files of each cold read. The caches of both threads together hold 128 MiB. */
const COLD_READ_BYTES = 200 * 1024 ** 2
const [KB, MB] = [1024, 1024 ** 2]

/**
 * `vault` (docs/benchmarks.md): the vault service with two threads. Compares public reads with nginx (two workers),
 * uploads with s3rver and plain file writes, and lists with those of a small folder.
 */
const bench: Bench = {
  name: 'vault',
  async run({ say }) {
    const folder = join(installRoot, '.berth', 'bench-vault-files')
    await rm(folder, { recursive: true, force: true })
    await mkdir(join(folder, 'files'), { recursive: true })
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
    try {
      say('a build, a database, the vault service; nginx; s3rver')
      const ours = await berthVault()
      ends.push(() => ours.stop())
      const web = await nginx(join(folder, 'nginx'), join(folder, 'files'))
      ends.push(() => web.stop())
      const bucket = await s3rver(join(folder, 's3rver'))
      ends.push(() => bucket.stop())
      const place = { folder, ours, web, bucket }
      say('reads')
      const reads = await measureReads(place, say)
      say('uploads of 4 KB, 64 clients')
      const small = await measureSmall(place)
      say('uploads of 100 MB')
      const large = await measureLarge(place)
      say('pages of 1,000,000 objects')
      return [...small, ...large, ...reads, ...(await measureLists(place))]
    } finally {
      for (const end of ends.reverse()) await end()
    }
  },
}

export default bench

interface Place {
  folder: string
  ours: BerthVault
  web: Other
  bucket: Other
}

type Asked = Partial<Load> & { path: string }

async function measureReads({ folder, ours, web }: Place, say: (line: string) => void) {
  const put = async (name: string, size: number) => {
    const body = Buffer.alloc(size, name)
    await writeFile(join(folder, 'files', name), body)
    const form = new FormData()
    form.set('file', new Blob([body]), name)
    const options = { method: 'POST', headers: ours.headers, body: form }
    const answer = await fetch(`${ours.url}/upload`, options)
    if (!answer.ok) throw new Error(`Not stored: ${await answer.text()}`)
  }
  const rows: ResultRow[] = []
  const measure = async (name: string, goal: string, asked: (of: string) => Promise<Asked>) => {
    say(`  ${name}`)
    const [mine, theirs] = [await asked(`${ours.url}/${ours.key}`), await asked(web.url)]
    const run = (one: Asked, base: string) => () =>
      measureRequestRate(folder, { url: base + one.path, connections: 32, duration, ...one })
    const found = await interleave(rounds, {
      ours: run(mine, `${ours.url}/${ours.key}`),
      nginx: run(theirs, web.url),
    })
    const [is, against] = [median(found.ours), median(found.nginx)]
    rows.push(
      resultRow({
        case: name,
        unit: 'requests/s',
        ours: is,
        against,
        reference: 'nginx, 2 workers',
        goal,
      })
    )
  }

  for (const size of [KB, 64 * KB, MB]) await put(`${size}.bin`, size)
  await measure('read 1 KB, hot', '>= 0.6x', async () => ({ path: '/1024.bin' }))
  await measure('read 64 KB, hot', '>= 0.75x', async () => ({ path: '/65536.bin' }))
  await measure('read 1 MB, hot', '>= 0.9x', async () => ({ path: '/1048576.bin' }))
  await measure('read 64 KB of 1 MB', '', async () => ({
    path: '/1048576.bin',
    headers: { Range: 'bytes=100000-165535' },
  }))
  await measure('not changed (304)', '', async (base) => {
    const { headers } = await fetch(`${base}/1024.bin`, { method: 'HEAD' })
    return { path: '/1024.bin', headers: { 'If-None-Match': headers.get('etag')! } }
  })
  for (const size of [64 * KB, MB]) {
    const count = Math.ceil(COLD_READ_BYTES / size)
    for (let at = 0; at < count; at += 32) {
      const some = Array.from({ length: Math.min(32, count - at) }, (_, more) => at + more)
      await Promise.all(some.map((one) => put(`cold-${size}-${one}`, size)))
    }
    await measure(`read ${size / KB} KB, cold`, '', async (base) => ({
      path: '/',
      script: getObjectsScript(`${new URL(base).pathname.replace(/\/$/, '')}/cold-${size}-`, count),
    }))
  }
  return rows
}

/**
 * Compares the first, a middle and the last page of the list of a folder, with 1,000,000 objects and with 1,000
 * objects.
 */
async function measureLists({ ours }: Place): Promise<ResultRow[]> {
  const [few, many] = [1_000, 1_000_000]
  for (const count of [few, many]) await ours.fill(`of-${count}`, count)
  const asking = (count: number, at: number) => async () => {
    const after = at ? `of-${count}/${String(at).padStart(7, '0')}` : undefined
    const page = { id: ours.id, path: `of-${count}`, after, limit: 200 }
    const began = performance.now()
    for (let time = 0; time < 20; time++) {
      const { files } = await ours.control.call('list', page)
      if (files.length !== 200) throw new Error(`A page of ${files.length}`)
    }
    return (performance.now() - began) / 20
  }
  const places = { first: 0, middle: 0.5, last: 0.8 }
  const rows: ResultRow[] = []
  for (const [name, part] of Object.entries(places)) {
    const found = await interleave(rounds, {
      many: asking(many, Math.round(many * (name === 'last' ? 0.9997 : part))),
      few: asking(few, Math.round(few * part)),
    })
    const [is, against] = [median(found.many), median(found.few)]
    const facts = { unit: 'ms', ours: is, against, reference: 'a folder of 1,000' }
    rows.push(resultRow({ case: `${name} page of 1,000,000`, ...facts, goal: '<= 1.2x' }))
  }
  return rows
}

async function measureSmall({ folder, ours, bucket }: Place) {
  const body = 'x'.repeat(4 * KB)
  const line = 'line-between-parts'
  const part = `--${line}\r\nContent-Disposition: form-data; name="file"; filename="NAME.bin"\r\n\r\n`
  const form = `${part}${body}\r\n--${line}--\r\n`
  const multipart = `multipart/form-data; boundary=${line}`
  const clients = { connections: 64, duration }
  const bare = join(folder, 'bare')
  await mkdir(bare)
  const script = join(installRoot, 'bench/vault/synced.ts')
  const argv = [...typescriptLoaderArgs, script, bare, String(4 * KB), '64', String(duration)]
  const found = await interleave(rounds, {
    ours: () => {
      const script = sendNewNamesScript('POST', '/upload', form, multipart)
      return measureRequestRate(folder, {
        url: ours.url,
        headers: ours.headers,
        script,
        ...clients,
      })
    },
    s3rver: () => {
      const script = sendNewNamesScript('PUT', '/bench/NAME', body, 'application/octet-stream')
      return measureRequestRate(folder, { url: bucket.url, script, ...clients })
    },
    bare: async () =>
      Number(await runCommand('env', ['UV_THREADPOOL_SIZE=64', process.execPath, ...argv])),
  })
  const rate = { case: 'upload 4 KB, 64 clients', unit: 'uploads/s', ours: median(found.ours) }
  return [
    resultRow({ ...rate, against: median(found.s3rver), reference: 's3rver', goal: '>= 1.5x' }),
    resultRow({
      ...rate,
      against: median(found.bare),
      reference: 'write + fsync',
      goal: '>= 0.4x',
    }),
  ]
}

async function measureLarge({ folder, ours, bucket }: Place) {
  const source = join(folder, 'large.bin')
  await runCommand('dd', ['if=/dev/urandom', `of=${source}`, 'bs=1M', 'count=100', 'status=none'])
  const headers = Object.entries(ours.headers).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
  const curl = (argv: string[]) => runCommand('curl', ['-sf', '-o', '/dev/null', ...argv])
  let copies = 0
  /** First syncs the disk, so that no measurement has to wait for the writes of the previous one. */
  const synced = async (work: () => Promise<unknown>) => {
    await runCommand('sync', [])
    return 100 / ((await measureMs(work)) / 1000)
  }
  const found = await interleave(rounds, {
    ours: () => synced(() => curl([...headers, '-F', `file=@${source}`, `${ours.url}/upload`])),
    s3rver: () => synced(() => curl(['-T', source, `${bucket.url}/bench/large.bin`])),
    copy: () =>
      synced(async () => {
        // Writes a new file each time, like an upload. Overwriting a file would be faster, because its pages are
        // already in memory.
        const target = join(folder, `copy-${copies++}.bin`)
        await runCommand('cp', [source, target])
        await runCommand('sync', [target])
      }),
  })
  const speed = { case: 'upload 100 MB', unit: 'MB/s', ours: median(found.ours) }
  return [
    resultRow({ ...speed, against: median(found.s3rver), reference: 's3rver', goal: '>= 1.2x' }),
    resultRow({ ...speed, against: median(found.copy), reference: 'cp + sync', goal: '>= 0.4x' }),
  ]
}
