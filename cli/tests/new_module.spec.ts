import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pageTypesCheck } from '../check.js'
import { openHome } from '../berth_home.js'
import { programPath, typescriptCompiler, typescriptLoaderArgs, installRoot } from '../paths.js'
import { findRealPostgresFolder } from '../postgres/cluster_folder.js'
import { openDatabase } from '../postgres/open_database.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from '../roles.js'
import { runOrThrow } from '../run_program.js'

/** Examples from CONTRIBUTING.md, each with the title of its section. */
const examples = [
  { folder: join(installRoot, 'tests/support/new_module'), section: 'Adding a module' },
  {
    folder: join(installRoot, 'tests/support/new_module_on_an_instance'),
    section: 'Adding a module that works in instances',
  },
]

/** Change to the only existing file that must be changed for a new module. */
const change = {
  file: 'app/modules.json',
  from: '"projects"',
  to: '"projects", "notes", "greetings"',
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Copies the repository, and adds the modules of the examples. Returns the folder of the copy. */
async function grown(): Promise<string> {
  const at = await mkdtemp(join(tmpdir(), 'berth-grown-'))
  const argv = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const output = await runOrThrow(argv, { cwd: installRoot })
  for (const file of output.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(at, file)), { recursive: true })
    await cp(join(installRoot, file), join(at, file)).catch((error: NodeJS.ErrnoException) => {
      // Another test may have deleted the file after it was listed.
      if (error.code !== 'ENOENT') throw error
    })
  }
  for (const name of ['node_modules', 'build'])
    await symlink(join(installRoot, name), join(at, name))
  for (const { folder } of examples) await cp(folder, at, { recursive: true })
  const ranks = await readFile(join(at, change.file), 'utf8')
  await writeFile(join(at, change.file), ranks.replace(change.from, change.to))
  return at
}

async function checkStatically(at: string): Promise<void> {
  const { env } = process
  const run = (argv: string[]) => runOrThrow(argv, { cwd: at, env })
  await runOrThrow([process.execPath, ...pageTypesCheck.argv], {
    cwd: at,
    env: { ...env, ...pageTypesCheck.env },
  })
  for (const project of ['tsconfig.json', 'inertia/tsconfig.json']) {
    await run([typescriptCompiler, '--noEmit', '-p', project])
  }
  const pages = ['customer/note', 'customer/greeting', 'admin/greeting']
  const folders = ['app/notes', 'app/greetings', ...pages.map((page) => `inertia/pages/${page}`)]
  await run([programPath('depcruise'), ...folders, '--config'])
}

async function migratedEnv(
  at: string,
  cleanup: (end: () => Promise<void>) => void
): Promise<NodeJS.ProcessEnv> {
  const home = await openHome(join(at, 'home'))
  const database = await openDatabase(home, { fast: true, env: {} })
  cleanup(async () => {
    await database.stop()
    const data = await findRealPostgresFolder(home.path)
    if (data) await rm(data, { recursive: true, force: true })
  })
  const ports = await findFreePorts()
  const given = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
  const env = {
    ...commonProcessEnv({ home, database, ports, mode: 'test', env: given }),
    SESSION_DRIVER: 'database',
    APP_URL: `http://127.0.0.1:${ports.web}`,
  }
  const ace = [process.execPath, 'ace.js', 'migration:run', '--connection=owner', '--force']
  await runOrThrow(ace, { cwd: at, env: migrationEnv(env, database) })
  return migrationEnv(env, database)
}

test.group('New modules', () => {
  test('a new module needs only the files that CONTRIBUTING names, and one changed line elsewhere', async ({
    assert,
  }) => {
    const text = await readFile(join(installRoot, 'CONTRIBUTING.md'), 'utf8')
    for (const { folder, section } of examples) {
      const walk = text.split(`## ${section}\n`)[1].split('\n## ')[0]
      const named = [...walk.matchAll(/`([\w/.]+\.(?:tsx?|json))`/g)].map(([, path]) => path)
      const made = await filesBelow(folder)
      assert.sameMembers([...new Set(named)], [...made, change.file])
      for (const file of made) assert.isFalse(existsSync(join(installRoot, file)), file)
    }

    const ranks = await readFile(join(installRoot, change.file), 'utf8')
    const lines = ranks.split('\n')
    const after = ranks.replace(change.from, change.to).split('\n')
    assert.lengthOf(
      after.filter((line, index) => line !== lines[index]),
      1
    )
  })

  test('the types, the dependency rule, routes, menu and table rows of a new module work', async ({
    assert,
    cleanup,
  }) => {
    const at = await grown()
    cleanup(() => rm(at, { recursive: true, force: true }))
    const [own] = await Promise.all([migratedEnv(at, cleanup), checkStatically(at)])
    const tests = [
      'belong to an account, and are listed, counted and in the menu',
      'are written as the site owner, changed and deleted',
      'are listed for staff, with their customer',
      'are written again later if the operation failed',
      'each route has a row, and each row has a route',
      'define the specified menus of both areas, in the specified order',
      'link only to existing routes',
      'register all operation kinds that their files define',
      'register all schedules that their files define',
      'define one message for each audited action',
    ]
    const files = [
      'app/notes/tests/notes.spec.ts',
      'app/greetings/tests/greetings.spec.ts',
      'app/identity/tests/matrix.spec.ts',
      'app/core/tests/modules.spec.ts',
    ]
    const chosen = [
      ...files.flatMap((file) => ['--files', join(at, file)]),
      ...tests.flatMap((title) => ['--tests', title]),
    ]
    const output = await runOrThrow(
      [process.execPath, ...typescriptLoaderArgs, 'bin/test.ts', ...chosen],
      {
        cwd: at,
        env: own,
      }
    )
    for (const title of tests) assert.include(output, title)
  }).timeout(1_800_000)
})
