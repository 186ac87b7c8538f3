import { test } from '@japa/runner'
import { cp, mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pageTypesCheck } from '../check.js'
import { openHome } from '../berth_home.js'
import { programPath, typescriptCompiler, typescriptLoaderArgs, installRoot } from '../paths.js'
import { findRealPostgresFolder, openDatabase } from '../postgres.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from '../roles.js'
import { runOrThrow } from '../run_program.js'

const template = join(installRoot, 'tests/support/new_module')

/** The only change to an existing file: the module's entry in `modules.json`. */
const change = { file: 'app/modules.json', from: '"projects"', to: '"projects", "notes"' }

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Copies the repository and adds the new module. Returns the copy's folder. */
async function grown(): Promise<string> {
  const at = await mkdtemp(join(tmpdir(), 'berth-grown-'))
  const argv = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const output = await runOrThrow(argv, { cwd: installRoot })
  for (const file of output.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(at, file)), { recursive: true })
    await cp(join(installRoot, file), join(at, file)).catch((error: NodeJS.ErrnoException) => {
      // Another test may delete the file after it was listed.
      if (error.code !== 'ENOENT') throw error
    })
  }
  for (const name of ['node_modules', 'build'])
    await symlink(join(installRoot, name), join(at, name))
  await cp(template, at, { recursive: true })
  const ranks = await readFile(join(at, change.file), 'utf8')
  await writeFile(join(at, change.file), ranks.replace(change.from, change.to))
  return at
}

test.group('A domain that is added', () => {
  test('is the files that the walk of CONTRIBUTING names, and one line elsewhere', async ({
    assert,
  }) => {
    const text = await readFile(join(installRoot, 'CONTRIBUTING.md'), 'utf8')
    const walk = text.split('## Adding a module')[1].split('\n## ')[0]
    const named = [...walk.matchAll(/`([\w/.]+\.(?:tsx?|json))`/g)].map(([, path]) => path)
    const made = await filesBelow(template)
    assert.sameMembers([...new Set(named)], [...made, change.file])

    const ranks = await readFile(join(installRoot, change.file), 'utf8')
    const lines = ranks.split('\n')
    const after = ranks.replace(change.from, change.to).split('\n')
    assert.lengthOf(
      after.filter((line, index) => line !== lines[index]),
      1
    )
  })

  test('has its types, its ranks, its addresses, its menu and its rows', async ({
    assert,
    cleanup,
  }) => {
    const at = await grown()
    cleanup(() => rm(at, { recursive: true, force: true }))
    const env = { ...process.env }
    await runOrThrow([process.execPath, ...pageTypesCheck.argv], {
      cwd: at,
      env: { ...env, ...pageTypesCheck.env },
    })
    for (const project of ['tsconfig.json', 'inertia/tsconfig.json']) {
      await runOrThrow([typescriptCompiler, '--noEmit', '-p', project], { cwd: at, env })
    }
    await runOrThrow([programPath('depcruise'), 'app', 'inertia', '--config'], { cwd: at, env })

    const home = await openHome(join(at, 'home'))
    const database = await openDatabase(home, { fast: true, env: {} })
    cleanup(async () => {
      await database.stop()
      const data = await findRealPostgresFolder(home.path)
      if (data) await rm(data, { recursive: true, force: true })
    })
    const ports = await findFreePorts()
    const given = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
    const own = {
      ...commonProcessEnv({ home, database, ports, mode: 'test', env: given }),
      SESSION_DRIVER: 'database',
      APP_URL: `http://127.0.0.1:${ports.web}`,
    }
    const ace = [process.execPath, 'ace.js', 'migration:run', '--connection=owner', '--force']
    await runOrThrow(ace, { cwd: at, env: migrationEnv(own, database) })

    const tests = [
      'are kept for whom they belong to, listed, counted and in the menu',
      'every route has a row, every row a route',
    ]
    const files = ['app/notes/tests/notes.spec.ts', 'app/identity/tests/matrix.spec.ts']
    const chosen = [
      ...files.flatMap((file) => ['--files', join(at, file)]),
      ...tests.flatMap((title) => ['--tests', title]),
    ]
    const output = await runOrThrow(
      [process.execPath, ...typescriptLoaderArgs, 'bin/test.ts', ...chosen],
      {
        cwd: at,
        env: migrationEnv(own, database),
      }
    )
    for (const title of tests) assert.include(output, title)
  }).timeout(600_000)
})
