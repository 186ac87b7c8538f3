import { cloudcmd, type Cloudcmd } from './cloudcmd.js'
import {
  interleave,
  median,
  resultRow,
  measureMsWithin,
  type Bench,
  type ResultRow,
} from './measurement.js'
import { runCommand, openSsh } from './openssh.js'
import { inspectZipBeforeUnpacking } from '#files/inspect_zip_before_unpacking'
import { BATCH_UPLOAD_LIMITS } from '#files/errors'
import { WebRoot } from '#files/machine/web_root'
import { webRoot } from '#guest/public'
import { SshMachine } from '#packages/machine/main'
import { startSshd } from '#packages/machine/tests/sshd'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

const rounds = Number(process.env.ROUNDS ?? 5)
const megabytes = Number(process.env.MEGABYTES ?? 500)
const entries = Number(process.env.ENTRIES ?? 10_000)
const small = Number(process.env.SMALL ?? 2_000)
/** Maximum number of requests that a page sends at the same time. */
const MAX_CONCURRENT_CALLS = 2
const TIMEOUT_MS = 60_000
/** Time for reading an archive's list of files before unpacking, and for moving the files afterwards. */
const ARCHIVE_OVERHEAD_MS = 75

/**
 * `files` (docs/benchmarks.md): the file manager, compared with OpenSSH's own tools on the same server. Also shows
 * cloudcmd, another file manager, for information: it serves the local disk over plain HTTP, without a connection to
 * another machine. cloudcmd is skipped if npm cannot install it or if it does not start.
 */
const bench: Bench = {
  name: 'files',
  async run({ say }) {
    say('cloudcmd, from npm')
    const sshd = await startSshd(['SetEnv HOME=/nonexistent'])
    const machine = new SshMachine(sshd.target)
    const theirs = await openSsh(sshd)
    const beside = await cloudcmd(sshd.folder).catch((error: Error) => {
      say(`without cloudcmd: ${error.message}`)
      return null
    })
    try {
      webRoot.path = sshd.folder
      const root = new WebRoot(machine)
      const place = { root, folder: sshd.folder, theirs, beside }
      say(`${megabytes} MB up and down`)
      const transfers = await measureTransfers(place)
      say(`a list of ${entries} files`)
      const lists = await measureLists(place)
      say(`${small} small files`)
      const uploads = await measureSmall(place)
      say(`an archive of ${entries} entries`)
      return [...transfers, ...lists, ...uploads, ...(await measureUnzip(place))]
    } finally {
      await beside?.stop()
      await theirs.close()
      await machine.close()
      await sshd.stop()
    }
  },
}

export default bench

interface Place {
  root: WebRoot
  folder: string
  theirs: Awaited<ReturnType<typeof openSsh>>
  beside: Cloudcmd | null
}

/** First syncs the disk, so that no measurement has to wait for the writes of the previous one. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  await runCommand('sync', [])
  return measureMsWithin(TIMEOUT_MS, work)
}

async function measureTransfers({ root, folder, theirs, beside }: Place) {
  const source = join(folder, 'source.bin')
  const chunk = randomBytes(1024 * 1024)
  await writeFile(
    source,
    Array.from({ length: megabytes }, () => chunk)
  )
  const read = () => createReadStream(source, { highWaterMark: 256 * 1024 })
  const memory = watchMemory()
  const up = await interleave(rounds, {
    ours: () =>
      timed(async () => root.putFile(await root.receive(read()), 'up.bin', true)).finally(
        memory.note
      ),
    sftp: () => timed(() => theirs.sftp(`put "${source}" "${folder}/sftp.bin"\n`)),
    synced: () => timed(() => theirs.sftp(`put -f "${source}" "${folder}/sftp.bin"\n`)),
    ...withCloudcmd(beside, (one) => one.put('cloudcmd.bin', source)),
  })
  const down = await interleave(rounds, {
    ours: () =>
      timed(async () => {
        const { size } = await root.info('source.bin')
        await pipeline(await root.slice('source.bin', 0, size), discard())
      }).finally(memory.note),
    sftp: () => timed(() => theirs.sftp(`get "${source}" /dev/null\n`)),
    ...withCloudcmd(beside, (one) => one.get('source.bin')),
  })
  const above = memory.stop()
  for (const name of await readdir(folder)) await rm(join(folder, name))

  const speed = (times: number[]) => megabytes / (median(times) / 1000)
  const unit = 'MB/s'
  const [upload, download] = [`upload ${megabytes} MB`, `download ${megabytes} MB`]
  const sftp = { reference: 'OpenSSH sftp' }
  const ours = { up: speed(up.ours), down: speed(down.ours) }
  return [
    resultRow({
      case: upload,
      unit,
      ours: ours.up,
      against: speed(up.sftp),
      ...sftp,
      goal: '>= 1.3x',
    }),
    resultRow({
      case: `${upload}, on the disk`,
      unit,
      ours: ours.up,
      against: speed(up.synced),
      reference: 'OpenSSH sftp, put -f',
      goal: '>= 0.95x',
    }),
    resultRow({
      case: download,
      unit,
      ours: ours.down,
      against: speed(down.sftp),
      ...sftp,
      goal: '>= 1.5x',
    }),
    ...(up.cloudcmd && down.cloudcmd
      ? [
          resultRow({
            case: upload,
            unit,
            ours: ours.up,
            against: speed(up.cloudcmd),
            reference: 'cloudcmd, local',
          }),
          resultRow({
            case: download,
            unit,
            ours: ours.down,
            against: speed(down.cloudcmd),
            reference: 'cloudcmd, local',
          }),
        ]
      : []),
    resultRow({ case: 'memory above idle', unit: 'MB', ours: above, goal: '<= 32' }),
  ]
}

async function measureLists({ root, folder, theirs, beside }: Place) {
  const many = join(folder, 'many')
  await mkdir(many)
  for (let one = 0; one < entries; one++) await writeFile(join(many, `file-${one}`), 'text')
  const list = await interleave(rounds, {
    ours: () => timed(() => root.list('many')),
    sftp: () => timed(() => theirs.sftp(`ls -la "${many}"\n`)),
    ...withCloudcmd(beside, (one) => one.get('many/')),
  })
  const measured = { case: `list ${entries} files`, unit: 'ms', ours: median(list.ours) }
  return [
    resultRow({
      ...measured,
      against: median(list.sftp),
      reference: 'OpenSSH sftp',
      goal: '<= 0.6x',
    }),
    ...(list.cloudcmd
      ? [resultRow({ ...measured, against: median(list.cloudcmd), reference: 'cloudcmd, local' })]
      : []),
  ]
}

/** Measures uploads of files of 4 KB, as many per request as a page sends. Compared with one `put -r`. */
async function measureSmall({ root, folder, theirs }: Place): Promise<ResultRow[]> {
  const source = join(folder, 'small')
  await mkdir(source)
  const content = randomBytes(4_096)
  const names = Array.from({ length: small }, (_, one) => `file-${one}`)
  for (const name of names) await writeFile(join(source, name), content)
  let place = 0
  const into = async (put: (target: string) => Promise<unknown>) => {
    const target = `small-${place++}`
    await mkdir(join(folder, target))
    const took = await timed(() => put(target))
    const count = (await readdir(join(folder, target), { recursive: true })).length
    if (count < small) throw new Error(`${count} of ${small} files arrived`)
    return took
  }
  const up = await interleave(rounds, {
    ours: () =>
      into(async (target) => {
        const left = [...names]
        const send = async () => {
          while (left.length > 0) {
            const files = await root.receiveMany(target)
            const some = left.splice(0, BATCH_UPLOAD_LIMITS.files)
            const contents = await Promise.all(some.map((name) => readFile(join(source, name))))
            for (const [index, name] of some.entries()) await files.add(name, contents[index])
            await files.end()
          }
        }
        await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, send))
      }),
    sftp: () => into((target) => theirs.sftp(`put -r "${source}" "${folder}/${target}"\n`)),
  })
  return [
    resultRow({
      case: `${small} files of 4 KB up`,
      unit: 'ms',
      ours: median(up.ours),
      against: median(up.sftp),
      reference: 'OpenSSH sftp, put -r',
      goal: '<= 0.5x',
    }),
  ]
}

/**
 * Measures all steps of unpacking a zip file on the machine: reading the archive's list, unpacking, and moving the
 * files.
 */
async function measureUnzip({ root, folder, theirs }: Place) {
  // Puts 100 files into each folder, like the dependencies of a website.
  for (let one = 0; one < entries; one++) {
    const file = join(folder, `tree/${Math.floor(one / 100)}/file-${one}`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${one} `.repeat(200))
  }
  await runCommand('zip', ['-q', '-r', '../many.zip', '.'], '', join(folder, 'tree'))
  await rm(join(folder, 'tree'), { recursive: true })
  const { size } = await stat(join(folder, 'many.zip'))
  // Unpacks into a new folder each time, because ext4 needs long to use inodes again that were just deleted.
  let place = 0
  const counted = async (unpack: (place: string) => Promise<unknown>) => {
    const name = `unpacked-${place++}`
    const took = await timed(() => unpack(name))
    const all = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
    const count = all.filter((one) => one.isFile()).length
    if (count !== entries) throw new Error(`${count} of ${entries} entries were unpacked`)
    return took
  }
  const unzip = await interleave(rounds, {
    ours: () =>
      counted(async (name) => {
        const facts = await inspectZipBeforeUnpacking(size, async (start, length) =>
          buffer(await root.slice('many.zip', start, length))
        )
        const process = await root.unpack('many.zip', name, '.berth-unzip-bench', facts)
        process.stdin.end()
        process.stdout.resume()
        process.stderr.resume()
        await process.exit
        await root.putUnpacked(name, '.berth-unzip-bench', [], false)
      }),
    unzip: () => counted((name) => theirs.ssh(`cd '${folder}' && unzip -q many.zip -d ${name}`)),
  })
  const reference = median(unzip.unzip)
  return [
    resultRow({
      case: `unzip ${entries} entries`,
      unit: 'ms',
      ours: median(unzip.ours),
      against: reference,
      reference: 'unzip on the machine',
      goal: `<= ${Math.round(reference / 0.95 + ARCHIVE_OVERHEAD_MS)}`,
    }),
  ]
}

/** Returns a measurement of `work` with cloudcmd, or none if cloudcmd could not be installed or started. */
function withCloudcmd(beside: Cloudcmd | null, work: (one: Cloudcmd) => Promise<void>) {
  const measurements = beside ? { cloudcmd: () => timed(() => work(beside)) } : {}
  return measurements as Record<'cloudcmd', () => Promise<number>>
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}

/** Watches this process's memory. `stop` returns by how many MiB its peak was above the value at the start. */
function watchMemory() {
  const before = process.memoryUsage.rss()
  let most = before
  const note = () => void (most = Math.max(most, process.memoryUsage.rss()))
  const timer = setInterval(note, 20)
  return {
    note,
    stop: () => {
      clearInterval(timer)
      return (most - before) / 1024 ** 2
    },
  }
}
