import { toOctalEscapes, losslessTextToBytes, bytesToLosslessText } from '#guest/machine/raw_names'
import { webRootScriptArgv, webRootScript } from '#guest/public_effects'
import { webRoot } from '#guest/public'
import { test } from '@japa/runner'
import { spawnSync } from 'node:child_process'
import { chown, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Starts a web root script as the user of this process. As root, the script switches to the web root's owner. */
function start(body: string, given: string[] = []) {
  const [program, ...argv] = webRootScriptArgv(webRootScript(body), 'verb', given)
  return spawnSync(program, argv, { env: { HOME: '/root', PATH: '/nowhere:/usr/bin:/bin' } })
}

test.group('Scripts for the web root', (group) => {
  const usual = webRoot.path

  group.each.setup(async () => {
    webRoot.path = await realpath(await mkdtemp(join(tmpdir(), 'berth-web-root-')))
    const made = webRoot.path
    return async () => {
      webRoot.path = usual
      await rm(made, { recursive: true, force: true })
    }
  })

  test('run as the owner of the web root, with that user’s home and groups only', async ({
    assert,
  }) => {
    const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
    const [, , uid, gid, , home] = users.find(([name]) => name === 'www-data')!
    await chown(webRoot.path, Number(uid), Number(gid))
    const { stdout, status } = start(`printf '%s ' "$(id -u)" "$(id -G)" "$HOME" "$PWD" "$verb"`)
    assert.equal(status, 0)
    assert.equal(stdout.toString(), `${uid} ${gid} ${home} ${webRoot.path} verb `)
  })

  test('detect that they run as root if root owns the web root', ({ assert }) => {
    assert.equal(start('[ ! -O / ] || exit 32').status, 32)
  })

  test('run in the real web root, even if its path is a symlink', async ({ assert }) => {
    const real = webRoot.path
    const link = `${real}-link`
    await symlink(real, link)
    try {
      webRoot.path = link
      assert.equal(start('printf %s "$root"').stdout.toString(), real)
      webRoot.path = join(real, 'none')
      assert.equal(start('echo reached').status, 31)
    } finally {
      await rm(link)
    }
  })

  test('get every byte of their arguments, also as another user', async ({ assert }) => {
    const given = [
      `it's "so" $(id) \`id\``,
      'back\\slash \\0134 \\n',
      'two\nlines\n',
      '',
      '-n',
      '*',
      bytesToLosslessText(Buffer.from([0xff, 0x5c, 0x0a])),
      'ñ🚢',
    ]
    for (const owner of [0, 65_534]) {
      await chown(webRoot.path, owner, owner)
      const { stdout } = start(`printf '%s\\0' "$@"`, given)
      const wanted = Buffer.concat(
        given.flatMap((text) => [losslessTextToBytes(text), Buffer.from([0])])
      )
      assert.isTrue(stdout.equals(wanted), stdout.toString('latin1'))
    }
    assert.isTrue(given.map(toOctalEscapes).every((text) => text.isWellFormed()))
  })
})
