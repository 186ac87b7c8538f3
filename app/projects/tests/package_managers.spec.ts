import {
  variablesForBuild,
  installAppPackages,
  variablesForAppStart,
} from '#projects/operations/build_app'
import {
  DESCRIBE_APP_SCRIPT,
  KEEP_LOCK_FILES_SCRIPT,
  type PackageManager,
  planBuild,
} from '#projects/pm2/package_managers'
import type { StepContext } from '#core/operations/operations'
import type { Machine } from '#packages/machine/main'
import { test } from '@japa/runner'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'

type Row = [string, Record<string, string>, PackageManager, string | null, string, string[]]

const bunNote = (manager: string) =>
  `The app uses bun, so Bun installs and builds it instead of ${manager}. npm starts it. If its start script calls bun, add the package bun to its dependencies.`

/** Columns: title, files, selected package manager, frozen installation, other installation, notes. */
const apps: Row[] = [
  [
    'npm without a lock file',
    { 'package.json': '{}' },
    'npm',
    null,
    'npm install --no-save --include=dev --no-audit --no-fund',
    [],
  ],
  [
    'npm with a lock file',
    { 'package-lock.json': '{"lockfileVersion":1}' },
    'npm',
    'npm ci --dry-run --ignore-scripts --include=dev --no-audit --no-fund',
    'npm install --no-save --include=dev --no-audit --no-fund',
    [],
  ],
  [
    'pnpm of the version that package.json names',
    {
      'package.json': '{"name":"a","packageManager":"pnpm@9.12.3+sha512.abc","private":true}',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    },
    'pnpm',
    'npx --yes pnpm@9.12.3 install --prod=false --config.confirmModulesPurge=false --frozen-lockfile',
    'env CI=true npx --yes pnpm@9.12.3 install --prod=false --config.confirmModulesPurge=false --no-frozen-lockfile',
    [],
  ],
  [
    'pnpm of the version that wrote the lock file',
    { 'pnpm-lock.yaml': 'lockfileVersion: 5.4\n\nspecifiers:\n' },
    'pnpm',
    'npx --yes pnpm@7 install --prod=false --config.confirmModulesPurge=false --frozen-lockfile',
    'env CI=true npx --yes pnpm@7 install --prod=false --config.confirmModulesPurge=false --no-frozen-lockfile',
    [],
  ],
  [
    'Yarn 1',
    { 'yarn.lock': '# yarn lockfile v1\n' },
    'yarn',
    'npx --yes yarn@1 install --non-interactive --production=false --frozen-lockfile',
    'npx --yes yarn@1 install --non-interactive --production=false --pure-lockfile',
    [],
  ],
  [
    'Yarn 4 by its lock file',
    { 'yarn.lock': '# This file is generated\n\n__metadata:\n  version: 8\n' },
    'yarn',
    'npx --yes --package @yarnpkg/cli-dist@4 yarn install --immutable',
    'npx --yes --package @yarnpkg/cli-dist@4 yarn install --no-immutable',
    ["Yarn installs into node_modules instead of using Plug'n'Play."],
  ],
  [
    'Yarn 3 by package.json',
    {
      'package.json': '{\n  "packageManager": "yarn@3.8.7"\n}\n',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
      'yarn.lock': '__metadata:\n  version: 6\n',
    },
    'yarn',
    'npx --yes --package @yarnpkg/cli-dist@3.8.7 yarn install --immutable',
    'npx --yes --package @yarnpkg/cli-dist@3.8.7 yarn install --no-immutable',
    [],
  ],
  [
    'Yarn 3 by its lock file',
    { 'yarn.lock': '# This file is generated\n\n__metadata:\n  version: 6\n  cacheKey: 8\n\n' },
    'yarn',
    'npx --yes --package @yarnpkg/cli-dist@3 yarn install --immutable',
    'npx --yes --package @yarnpkg/cli-dist@3 yarn install --no-immutable',
    ["Yarn installs into node_modules instead of using Plug'n'Play."],
  ],
  [
    'Bun by its lock file',
    { 'bun.lock': '{}' },
    'npm',
    'npx --yes --package bun@1 bun install --no-progress --frozen-lockfile',
    'npx --yes --package bun@1 bun install --no-progress --no-save',
    [bunNote('npm')],
  ],
  [
    'Bun by its binary lock file',
    { 'bun.lockb': '#!/usr/bin/env bun\nbun-lockfile-format-v0\n' },
    'pnpm',
    'npx --yes --package bun@1 bun install --no-progress --frozen-lockfile',
    'npx --yes --package bun@1 bun install --no-progress --no-save',
    [bunNote('pnpm')],
  ],
  [
    'Bun by package.json, without its lock file',
    { 'package.json': '{"packageManager":"bun@1.2.3"}' },
    'npm',
    null,
    'npx --yes --package bun@1.2.3 bun install --no-progress --no-save',
    [bunNote('npm')],
  ],
  [
    'the chosen manager, although Bun has a lock file too',
    { 'bun.lock': '{}', 'package-lock.json': '{}' },
    'npm',
    'npm ci --dry-run --ignore-scripts --include=dev --no-audit --no-fund',
    'npm install --no-save --include=dev --no-audit --no-fund',
    [],
  ],
  [
    'another manager than the chosen one',
    { 'package.json': '{"packageManager":"pnpm@10.1.0"}', 'package-lock.json': '{}' },
    'npm',
    'npm ci --dry-run --ignore-scripts --include=dev --no-audit --no-fund',
    'npm install --no-save --include=dev --no-audit --no-fund',
    ['The app uses pnpm, but npm was chosen.'],
  ],
  [
    'a version that is a command',
    { 'package.json': '{"packageManager":"pnpm@$(id); 1"}' },
    'pnpm',
    null,
    'env CI=true npx --yes pnpm@10 install --prod=false --config.confirmModulesPurge=false --no-frozen-lockfile',
    [],
  ],
]

test.group('Package managers', (group) => {
  let folder: string

  group.each.setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-packages-'))
    return () => rmSync(folder, { recursive: true })
  })

  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  }
  const shell = (...argv: string[]) =>
    execFileSync('sh', ['-c', ...argv], { cwd: folder, encoding: 'utf8' })

  test('{0}')
    .with(apps)
    .run(({ assert }, [, files, manager, frozen, other, notes]) => {
      write(files)
      const plan = planBuild(manager, shell(DESCRIBE_APP_SCRIPT))
      assert.equal(plan.frozenInstall?.join(' ') ?? null, frozen)
      assert.equal(plan.install.join(' '), other)
      assert.deepEqual(plan.notes, notes)
    })

  test('a lock file that pnpm cannot use is a mismatch: {$self}')
    .with([
      ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
      ' ERR_PNPM_FROZEN_LOCKFILE_WITH_OUTDATED_LOCKFILE  Cannot perform a frozen installation',
      ' ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is absent',
      ' ERR_PNPM_LOCKFILE_CONFIG_MISMATCH  Cannot proceed with the frozen installation.',
      ' ERR_PNPM_BROKEN_LOCKFILE  The lockfile at "pnpm-lock.yaml" is broken',
      ' ERROR  Headless installation requires a pnpm-lock.yaml file',
    ])
    .run(({ assert }, line) => assert.match(line, planBuild('pnpm', '').mismatch))

  test('npm checks the lock file, then installs even if it does not match, but not after another error', async ({
    assert,
  }) => {
    const install = async (check: { code: number; output: string }) => {
      const commands: string[] = []
      const notes: string[] = []
      const machine = {
        exec: async () => ({ code: 0, stdout: 'file package-lock.json', stderr: '' }),
        spawn: async (argv: string[]) => {
          const command = argv.slice(argv.lastIndexOf('npm'), argv.lastIndexOf('npm') + 3).join(' ')
          commands.push(command)
          const { code, output } = command.startsWith('npm ci') ? check : { code: 0, output: '' }
          const [stdout, stderr] = [Readable.from([output]), Readable.from([])]
          return { stdin: new PassThrough(), stdout, stderr, exit: Promise.resolve({ code }) }
        },
      } as unknown as Machine
      const { signal } = new AbortController()
      await installAppPackages({ machine, path: 'shop', environment: {}, packageManager: 'npm' }, {
        signal,
        operation: { output: [] },
        saveState: async () => {},
        reportProgress: async (line: string) => void notes.push(line),
      } as unknown as StepContext).catch(({ message }: Error) => notes.push(message))
      return { commands, note: notes.at(-1) }
    }
    const check = 'npm ci --dry-run'
    const commands = [check, 'npm install --no-save']
    assert.deepEqual(await install({ code: 0, output: '' }), { commands, note: undefined })
    const mismatch = await install({ code: 1, output: 'npm error code EUSAGE\n' })
    const note = 'The lock file does not match package.json, and was not changed.'
    assert.deepEqual(mismatch, { commands, note })
    const outage = await install({ code: 1, output: 'npm error code ETIMEDOUT\n' })
    assert.deepEqual(outage.commands, [check])
    assert.match(outage.note!, /^npm ci .* failed: npm error code ETIMEDOUT/)
  })

  test('an installation does not change lock files', ({ assert }) => {
    write({ 'yarn.lock': 'old' })
    const command = 'echo new > yarn.lock; echo new > pnpm-lock.yaml; exit 3'
    assert.throws(
      () => shell(KEEP_LOCK_FILES_SCRIPT, 'berth-install', 'sh', '-c', command),
      /Command failed/
    )
    assert.deepEqual(readdirSync(folder), ['yarn.lock'])
    assert.equal(readFileSync(join(folder, 'yarn.lock'), 'utf8'), 'old')
  })

  test('an installation keeps lock files that a pull changes meanwhile', ({ assert }) => {
    write({ 'yarn.lock': 'old', 'pnpm-lock.yaml': 'old', '.yarnrc.yml': 'old' })
    const commit = 'git -c user.name=a -c user.email=a@example.com commit -qm a'
    shell(`git init -q && git add . && ${commit}`)
    write({ '.yarnrc.yml': 'changed by the customer' })
    const pull = `echo pulled > yarn.lock; git rm -q pnpm-lock.yaml; git add yarn.lock; ${commit}`
    const command = `${pull}; echo new | tee yarn.lock pnpm-lock.yaml .yarnrc.yml`
    shell(KEEP_LOCK_FILES_SCRIPT, 'berth-install', 'sh', '-c', command)
    assert.equal(readFileSync(join(folder, 'yarn.lock'), 'utf8'), 'pulled\n')
    assert.equal(readFileSync(join(folder, '.yarnrc.yml'), 'utf8'), 'changed by the customer')
    assert.notInclude(readdirSync(folder), 'pnpm-lock.yaml')
  })

  test('the customer’s variables override the defaults in builds and starts', ({ assert }) => {
    const { CI, NODE_ENV, NEXT_TELEMETRY_DISABLED } = variablesForBuild({
      CI: 'false',
      NODE_ENV: 'production',
    })
    assert.deepEqual([CI, NODE_ENV, NEXT_TELEMETRY_DISABLED], ['false', 'production', '1'])
    assert.equal(variablesForBuild({}).CI, 'true')
    const modes = ['test', ''].map((mode) => variablesForAppStart(80, { NODE_ENV: mode }).NODE_ENV)
    assert.deepEqual(modes, ['test', 'production'])
  })
})
