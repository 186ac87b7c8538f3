import { interleave, median, resultRow, measureMsWithin, type Bench } from './measurement.js'
import { runCommand, openSsh } from './openssh.js'
import { gitScriptArgv, runGit, gitConfigArguments } from '#git/machine/run_git'
import { Repository } from '#git/repository'
import { startGitServer, UNPRIVILEGED_USER } from '#git/tests/git_server'
import { webRoot } from '#guest/public'
import { SshMachine } from '#packages/machine/main'
import { startSshd } from '#packages/machine/tests/sshd'
import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const rounds = Number(process.env.ROUNDS ?? 9)
const files = Number(process.env.FILES ?? 4_000)
const commits = Number(process.env.COMMITS ?? 1_500)
const TIMEOUT_MS = 60_000

const timed = (work: () => Promise<unknown>) => measureMsWithin(TIMEOUT_MS, work)

/**
 * `git` (docs/benchmarks.md): the git functions of a project, compared with plain git over an open OpenSSH connection.
 * Berth's functions switch to the owner of the web root, and check the owner of the repository. The reference runs git
 * directly, as root in a repository of root.
 */
const bench: Bench = {
  name: 'git',
  async run({ say }) {
    const sshd = await startSshd(['SetEnv HOME=/nonexistent'])
    const machine = new SshMachine(sshd.target)
    const { ssh, close } = await openSsh(sshd)
    const served = join(sshd.folder, 'served')
    const root = join(sshd.folder, 'public_html')
    for (const folder of [served, root]) {
      await mkdir(folder)
      await chown(folder, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    }
    webRoot.path = root
    const server = await startGitServer(served, { username: '', password: '' })
    try {
      say(`a repository of ${files} files and ${commits} commits`)
      const bare = join(served, 'site.git')
      await runCommand('git', ['init', '-q', '--bare', '-b', 'main', bare])
      await runCommand('git', ['-C', bare, 'fast-import', '--quiet'], history())
      await runCommand('chown', ['-R', `${UNPRIVILEGED_USER.uid}:${UNPRIVILEGED_USER.gid}`, bare])
      const url = `${server.url}/site.git`
      const allowed = gitConfigArguments({
        'protocol.http.allow': 'always',
        'http.followRedirects': 'false',
      })
      const clone = async () => {
        const argv = gitScriptArgv('clone', 'ours', ['.berth-clone-x', '', url, ...allowed])
        const { code, stderr } = await machine.exec(argv)
        if (code !== 0) throw new Error(`Not cloned: ${stderr.toString().slice(-500)}`)
        await runGit(machine, 'place', 'ours', ['.berth-clone-x'])
      }
      const theirs = join(sshd.folder, 'theirs')
      const cloned = await interleave(Math.min(rounds, 5), {
        ours: async () => {
          await rm(join(root, 'ours'), { recursive: true, force: true })
          return timed(clone)
        },
        git: async () => {
          await rm(theirs, { recursive: true, force: true })
          return timed(() => ssh(`git clone -q ${url} ${theirs}`))
        },
      })
      await ssh(`git -C ${theirs} branch -q next origin/next`)

      say('status, log, branches, checkout')
      const repository = new Repository(machine, 'ours')
      // Runs the same git command as the reference, so that only the SSH connection differs.
      const git = async (...argv: string[]) => {
        const { code } = await machine.exec(['git', ...argv], { cwd: theirs })
        if (code !== 0) throw new Error(`git ${argv[0]} failed`)
      }
      const turn = { ours: 0, git: 0 }
      const branch = (whose: 'ours' | 'git') => (turn[whose]++ % 2 ? 'main' : 'next')
      const cases = {
        status: {
          ours: () => git('status', '--porcelain'),
          git: () => ssh(`git -C ${theirs} status --porcelain`),
        },
        log: {
          ours: () => git('log', '--stat', '-n', '200'),
          git: () => ssh(`git -C ${theirs} log --stat -n 200`),
        },
        branches: {
          ours: () => repository.details(),
          git: () => ssh(`cd ${theirs} && git branch --all && git remote`),
        },
        checkout: {
          ours: () => repository.checkout(branch('ours')),
          git: () => ssh(`git -C ${theirs} switch -q ${branch('git')}`),
        },
      }
      const goals: Record<string, string> = { status: '<= 0.8x', branches: '<= 0.9x' }
      const rows = []
      for (const [name, { ours, git: plain }] of Object.entries(cases)) {
        const took = await interleave(rounds, { ours: () => timed(ours), git: () => timed(plain) })
        const [mine, against] = [median(took.ours), median(took.git)]
        const reference = 'ssh host git, warm'
        const goal = goals[name] ?? '<= 1.0x'
        rows.push(resultRow({ case: name, unit: 'ms', ours: mine, against, reference, goal }))
      }
      const speed = (times: number[]) => files / (median(times) / 1000)
      rows.push(
        resultRow({
          case: `clone ${files} files`,
          unit: 'files/s',
          ours: speed(cloned.ours),
          against: speed(cloned.git),
          reference: 'ssh host git, warm',
          goal: '>= 1.0x',
        })
      )
      return rows
    } finally {
      await server.close()
      await close()
      await machine.close()
      await sshd.stop()
    }
  },
}

export default bench

/**
 * Returns a repository in the format of `git fast-import`. It is the same each time. In the branch `next`, a tenth of
 * the files is different.
 */
function history(): string {
  let seed = 1
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const words = Array.from({ length: 500 }, () => random(2 ** 30).toString(36))
  const content = () =>
    Array.from({ length: 60 }, () => words.slice(random(490)).slice(0, 6).join(' ')).join('\n')
  const path = (one: number) => `src/part-${one % 60}/module-${Math.floor(one / 60) % 12}/${one}.js`
  const parts: string[] = []
  const commit = (ref: string, changed: number[], from = '') => {
    const when = 1_700_000_000 + parts.length
    const message = `Change ${changed.length} files\n`
    parts.push(
      `commit refs/heads/${ref}\ncommitter Ana <ana@example.com> ${when} +0000\n`,
      `data ${message.length}\n${message}${from}`
    )
    for (const one of changed) {
      const text = content()
      parts.push(`M 100644 inline ${path(one)}\ndata ${text.length}\n${text}\n`)
    }
  }
  commit(
    'main',
    Array.from({ length: files }, (_, one) => one)
  )
  for (let one = 1; one < commits; one++) {
    commit(
      'main',
      Array.from({ length: 4 }, () => random(files))
    )
  }
  commit(
    'next',
    Array.from({ length: files / 10 }, (_, one) => one * 10),
    'from refs/heads/main\n'
  )
  return parts.join('')
}
