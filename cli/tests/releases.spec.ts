import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BerthHome } from '../berth_home.js'
import { installRoot } from '../paths.js'
import {
  FIRST_ADDITIVE_MIGRATION,
  checkMigration,
  checkMigrations,
  listBreakingChanges,
} from '../release/migration_compatibility.js'
import {
  activateRelease,
  findLinkedRelease,
  makeRelease,
  pruneReleases,
} from '../release/releases.js'
import { runOrThrow } from '../run_program.js'

const migrations = join(installRoot, 'database/migrations')

/** Returns the source of a migration whose method `up` runs this SQL. */
const sql = (text: string, before = '') => `${before}
export default class extends BaseSchema {
  async up() {
    this.schema.raw(\`${text}\`)
  }

  async down() {
    this.schema.raw('drop table ships')
  }
}`

test.group('Migrations and the previous release’s code', () => {
  test('a migration that breaks the previous release is reported: {0}')
    .with([
      ['alter table ships drop column name', 'drops a column'],
      ['alter table ships rename to boats', 'renames'],
      ['alter table ships rename column name to title', 'renames'],
      ['drop table if exists ships', 'drops a table'],
      ['alter table ships alter column name type integer', 'changes a type'],
      ['alter table ships alter name set not null', 'requires a value'],
      ['alter table ships add column port text not null', 'a column that older code does not fill'],
      ['alter table ships add port text not null, add crew text', 'older code does not fill'],
      ['drop function sail()', 'drops a function'],
      ['revoke all on ships from berth_app', 'revokes a right'],
    ] as const)
    .run(({ assert }, [text, what]) => {
      assert.include(checkMigration('1', sql(text)).breaks.join(', '), what)
    })

  test('a breaking migration by the schema builder is reported: {0}')
    .with([
      [`table.dropColumn('name')`, 'drops a column'],
      [`table.renameColumn('name', 'title')`, 'renames'],
      [`table.string('port').notNullable()`, 'older code does not fill'],
      [`table.string('port').notNullable().alter()`, 'changes a type'],
    ] as const)
    .run(({ assert }, [text, what]) => {
      const whole = `export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('ships', (table) => {
      ${text}
    })
  }
}`
      assert.include(checkMigration('1', whole).breaks.join(', '), what)
    })

  test('an additive change is allowed: {$self}')
    .with([
      'create table ships (id bigint primary key, name text not null)',
      'alter table ships add column port text',
      `alter table ships add column port text not null default ''`,
      'alter table ships add column id bigint not null generated always as identity',
      'create index on ships (name)',
      '-- nobody may drop column here\n create view fleet as select 1',
      'alter table ships alter column name drop not null',
    ])
    .run(({ assert }, text) => assert.deepEqual(checkMigration('1', sql(text)).breaks, []))

  test('a breaking migration is allowed if the running release contains the migration that its `contract` names', ({
    assert,
  }) => {
    const text = sql('alter table ships drop column name', `export const contract = '0300_titles'`)
    const judged = [checkMigration('0301_no_names', text)]
    assert.deepEqual(listBreakingChanges(judged, new Set(['0300_titles'])), [])
    assert.deepEqual(listBreakingChanges(judged, new Set(['0299'])), [
      '0301_no_names needs a release that contains 0300_titles first',
    ])
  })

  test('all migrations since the rule exists are compatible or have a `contract`', async ({
    assert,
  }) => {
    const names = (await readdir(migrations)).map((file) => file.replace(/\.ts$/, ''))
    assert.include(names, FIRST_ADDITIVE_MIGRATION)
    const held = await checkMigrations(
      migrations,
      names.filter((name) => name > FIRST_ADDITIVE_MIGRATION).sort(),
      '.ts'
    )
    const breaking = held.filter(({ breaks, contract }) => breaks.length && !contract)
    assert.deepEqual(breaking, [])
    for (const { name, contract } of held) {
      if (contract) assert.isTrue(names.includes(contract) && contract < name, name)
    }
  })
})

test.group('Releases', (group) => {
  let folder: string
  let home: BerthHome

  const tree = async (version: string, at = join(folder, 'sources', version)) => {
    await mkdir(join(at, 'build/cli'), { recursive: true })
    await writeFile(join(at, 'release.json'), JSON.stringify({ version }))
    await writeFile(join(at, 'build/cli/main.js'), `process.exit(${version === 'broken' ? 1 : 0})`)
    return at
  }

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-releases-'))
    home = { path: join(folder, 'home') } as BerthHome
    return () => rm(folder, { recursive: true, force: true })
  })

  test('releases can be made from a folder, an archive and a package, and exist next to each other', async ({
    assert,
  }) => {
    const one = await makeRelease(home, await tree('1.0.0'))
    const archive = join(folder, 'two.tar.gz')
    await runOrThrow(['tar', '-czf', archive, '-C', join(await tree('2.0.0'), '..'), '2.0.0'])
    const two = await makeRelease(home, archive)
    const stage = join(folder, 'stage')
    await tree('3.0.0', join(stage, 'usr/lib/berth'))
    await mkdir(join(stage, 'DEBIAN'))
    const control = 'Package: berth\nVersion: 3\nArchitecture: all\nMaintainer: B <b@localhost>\n'
    await writeFile(join(stage, 'DEBIAN/control'), `${control}Description: none\n`)
    await runOrThrow([
      'dpkg-deb',
      '--root-owner-group',
      '--build',
      stage,
      join(folder, 'three.deb'),
    ])
    const three = await makeRelease(home, join(folder, 'three.deb'))
    assert.deepEqual(
      [one, two, three].map(({ version }) => version),
      ['1.0.0', '2.0.0', '3.0.0']
    )
    for (const { path } of [one, two, three]) assert.isTrue(existsSync(join(path, 'build')))
    const names = await readdir(join(home.path, 'releases'))
    assert.sameMembers(names, ['1.0.0', '2.0.0', '3.0.0'])
    // A release is a copy: a later change of its source must not change it.
    await writeFile(join(folder, 'sources/1.0.0/build/cli/main.js'), 'process.exit(7)')
    assert.include(await readFile(join(one.path, 'build/cli/main.js'), 'utf8'), 'exit(0)')
  })

  test('a source that is not a release, or does not run, is rejected and leaves nothing behind', async ({
    assert,
  }) => {
    await assert.rejects(() => makeRelease(home, join(folder, 'none')), /does not exist/)
    await assert.rejects(() => makeRelease(home, tmpdir()), /is not a release of Berth/)
    const broken = await tree('broken')
    await assert.rejects(() => makeRelease(home, broken), /broken does not run on this machine/)
    await assert.rejects(async () => makeRelease(home, await tree('../out')), /is not a version/)
    assert.deepEqual(await readdir(join(home.path, 'releases')), [])
  })

  test('the current and the previous release are known, and the newest three releases and those in use are kept', async ({
    assert,
  }) => {
    const made = []
    for (const version of ['1', '2', '3', '4', '5']) {
      const release = await makeRelease(home, await tree(version))
      await activateRelease(home, release)
      made.push(release)
    }
    assert.equal(findLinkedRelease(home, 'current')?.version, '5')
    assert.equal(findLinkedRelease(home, 'before')?.version, '4')
    assert.sameMembers(await pruneReleases(home, [made[0].path]), ['2', '3'])
    const left = (await readdir(join(home.path, 'releases'))).filter((name) => /^\d$/.test(name))
    assert.sameMembers(left, ['1', '4', '5'])
    // Activating the release that is already active must change nothing.
    await activateRelease(home, made[4])
    assert.equal(findLinkedRelease(home, 'before')?.version, '4')
  })
})
