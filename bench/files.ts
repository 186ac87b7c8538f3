import { interleave, median, row, timed, type Bench } from './frame.js'
import { WebRoot } from '#files/machine/web_root'
import { SshMachine } from '#packages/machine/main'
import { startSshd } from '#packages/machine/tests/sshd'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomBytes } from 'node:crypto'

const rounds = Number(process.env.ROUNDS ?? 5)
const megabytes = Number(process.env.MEGABYTES ?? 500)
const entries = Number(process.env.ENTRIES ?? 10_000)

/** benchmarks.md, row `files`: what the file manager does, against OpenSSH's own tools. */
const bench: Bench = {
  name: 'files',
  async run({ say }) {
    const sshd = await startSshd(['SetEnv HOME=/nonexistent'])
    const machine = new SshMachine(sshd.target)
    const root = new WebRoot(machine, sshd.folder)
    const control = join(sshd.folder, '..', 'control')
    const key = join(sshd.folder, '..', 'user')
    try {
      await writeFile(key, sshd.target.privateKey, { mode: 0o600 })
      const ssh = ['-F', 'none', '-i', key, '-o', `ControlPath=${control}`]
      const port = String(sshd.target.port)
      const host = `${sshd.target.username}@127.0.0.1`
      const quiet = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
      await command('ssh', [
        ...ssh,
        ...quiet,
        '-o',
        'LogLevel=ERROR',
        '-o',
        'ControlMaster=yes',
        '-o',
        'ControlPersist=600',
        '-p',
        port,
        '-fN',
        host,
      ])
      const sftp = (batch: string) =>
        command(
          'sftp',
          [...ssh, ...quiet, '-q', '-o', 'LogLevel=ERROR', '-P', port, '-b', '-', host],
          batch
        )

      say(`${megabytes} MB up and down`)
      const source = join(sshd.folder, 'source.bin')
      const chunk = randomBytes(1024 * 1024)
      await writeFile(
        source,
        Array.from({ length: megabytes }, () => chunk)
      )
      const before = process.memoryUsage().rss
      let most = before
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
      const up = await interleave(rounds, {
        ours: () =>
          timed(async () => {
            const temporary = await root.receive(
              createReadStream(source, { highWaterMark: 256 * 1024 })
            )
            await root.place(temporary, 'up.bin', true)
          }),
        sftp: () => timed(() => sftp(`put "${source}" "${sshd.folder}/sftp.bin"\n`)),
      })
      const down = await interleave(rounds, {
        ours: () =>
          timed(async () => {
            const { size } = await root.info('source.bin')
            await pipeline(await root.slice('source.bin', 0, size), discard())
          }),
        sftp: () => timed(() => sftp(`get "${source}" /dev/null\n`)),
      })
      clearInterval(watch)
      for (const name of ['source.bin', 'up.bin', 'sftp.bin']) await rm(join(sshd.folder, name))

      say(`a list of ${entries} files`)
      const many = join(sshd.folder, 'many')
      await mkdir(many)
      for (let one = 0; one < entries; one++) await writeFile(join(many, `file-${one}`), 'text')
      const list = await interleave(rounds, {
        ours: () => timed(() => root.list('many')),
        sftp: () => timed(() => sftp(`ls -la "${many}"\n`)),
      })

      say(`an archive of ${entries} entries`)
      await command('zip', ['-q', '-r', '../many.zip', '.'], '', many)
      const { size } = await stat(join(sshd.folder, 'many.zip'))
      const unzip = await interleave(rounds, {
        ours: () =>
          timed(async () => {
            const { exit, stdout, stderr, stdin } = await root.unpack(
              'many.zip',
              'ours',
              '.berth-unzip-bench',
              { largest: size }
            )
            stdin.end()
            stdout.resume()
            stderr.resume()
            await exit
            await root.placeUnpacked('ours', '.berth-unzip-bench')
            if ((await readdir(join(sshd.folder, 'ours'))).length !== entries)
              throw new Error('Not all unpacked')
            await rm(join(sshd.folder, 'ours'), { recursive: true })
          }),
        unzip: () =>
          timed(async () => {
            await command('unzip', ['-q', 'many.zip', '-d', 'theirs'], '', sshd.folder)
            await rm(join(sshd.folder, 'theirs'), { recursive: true })
          }),
      })
      const speed = (times: number[]) => megabytes / (median(times) / 1000)
      return [
        row({
          case: `upload ${megabytes} MB`,
          unit: 'MB/s',
          ours: speed(up.ours),
          against: speed(up.sftp),
          reference: 'OpenSSH sftp',
          goal: '>= 0.95x',
        }),
        row({
          case: `download ${megabytes} MB`,
          unit: 'MB/s',
          ours: speed(down.ours),
          against: speed(down.sftp),
          reference: 'OpenSSH sftp',
          goal: '>= 0.9x',
        }),
        row({
          case: `list ${entries} files`,
          unit: 'ms',
          ours: median(list.ours),
          against: median(list.sftp),
          reference: 'OpenSSH sftp',
          goal: '<= 1.2x',
        }),
        row({
          case: `unzip ${entries} entries`,
          unit: 'entries/s',
          ours: entries / (median(unzip.ours) / 1000),
          against: entries / (median(unzip.unzip) / 1000),
          reference: 'unzip on the machine',
          goal: '>= 0.95x',
        }),
        row({
          case: 'memory above idle',
          unit: 'MB',
          ours: (most - before) / 1024 ** 2,
          goal: '<= 48',
        }),
      ]
    } finally {
      await command('ssh', ['-F', 'none', '-o', `ControlPath=${control}`, '-O', 'exit', 'x']).catch(
        () => {}
      )
      await machine.close()
      await sshd.stop()
    }
  },
}

export default bench

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}

/** Runs a program of this computer to its end. */
async function command(name: string, argv: string[], input = '', cwd?: string): Promise<void> {
  const child = spawn(name, argv, { stdio: ['pipe', 'ignore', 'pipe'], cwd })
  let words = ''
  child.stderr.on('data', (chunk) => (words += chunk))
  child.stdin.on('error', () => {}).end(input)
  // A master that stays behind keeps the pipes open, so the end of the program itself counts.
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${name} failed: ${words.slice(-500)}`)
}
