import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { sharedVaultService } from '../../../tests/test_service.js'
import { createS3TestVault, type TestVault } from '../client.js'

const folder = import.meta.dirname
const listFile = join(folder, 'passing_tests.txt')
/** Folder of a checkout of https://github.com/ceph/s3-tests */
const checkout = process.env.S3_TESTS
/** Python interpreter with the packages in `requirements.txt` of the checkout. */
const python = process.env.S3_TESTS_PYTHON ?? 'python3'

const lines = (text: string) => text.split('\n').filter(Boolean)

/**
 * Returns the configuration of the test suite. Sections for features that Berth does not have get credentials that are
 * not valid anywhere.
 */
function settingsFor(url: string, vault: TestVault): string {
  const { hostname, port } = new URL(url)
  const user = (name: string, accessKey: string, secretKey: string) => `
[${name}]
display_name = Berth
user_id = ${vault.accountId}
email = owner@berth.test
tenant = none
access_key = ${accessKey}
secret_key = ${secretKey}
`
  const nobody = ['s3 alt', 's3 tenant', 'iam', 'iam root', 'iam alt root']
  return [
    `[DEFAULT]\nhost = ${hostname}\nport = ${port}\nis_secure = False\n`,
    user('s3 main', vault.accessKeyId, vault.secretKey),
    ...nobody.map((name) => user(name, 'nobody', 'nobody')),
  ].join('')
}

test.group('Public S3 test suite of Ceph', () => {
  /**
   * With `S3_TESTS_ALL=1`, this test runs all of `test_s3.py` and `test_headers.py`. Then it prints the passing tests
   * that are missing in the list.
   */
  test('each test of Ceph’s suite that passing_tests.txt lists passes', async ({ assert }) => {
    const service = await sharedVaultService()
    const vault = await createS3TestVault(service)
    const work = await mkdtemp(join(tmpdir(), 'berth-s3-tests-'))
    try {
      await writeFile(join(work, 'settings.conf'), settingsFor(service.url, vault))
      await writeFile(join(work, 'passed'), '')
      const listed = lines(await readFile(listFile, 'utf8'))
      const all = ['s3tests/functional/test_s3.py', 's3tests/functional/test_headers.py']
      const wanted = process.env.S3_TESTS_ALL ? all : listed
      const argv = ['-m', 'pytest', '-q', '--tb=no', '-p', 'one_vault_plugin', ...wanted]
      const env = {
        PATH: process.env.PATH,
        HOME: work,
        LANG: 'C.UTF-8',
        PYTHONPATH: [folder, checkout].join(delimiter),
        PYTHONDONTWRITEBYTECODE: '1',
        S3TEST_CONF: join(work, 'settings.conf'),
        AWS_DEFAULT_REGION: 'us-east-1',
        VAULT: vault.key,
        PASSED_TESTS: join(work, 'passed'),
      }
      const options = { cwd: checkout, env, maxBuffer: 64 * 1024 ** 2 }
      // pytest exits with 1 if any test failed.
      const output = await promisify(execFile)(python, argv, options).catch(
        (error: { stdout?: string; stderr?: string }) => ({
          stdout: error.stdout ?? '',
          stderr: error.stderr ?? String(error),
        })
      )
      const passed = new Set(lines(await readFile(join(work, 'passed'), 'utf8')))
      assert.isAbove(passed.size, 0, `${output.stdout}\n${output.stderr}`)
      const unlisted = [...passed].filter((name) => !listed.includes(name)).toSorted()
      if (unlisted.length) {
        process.stdout.write(`Passing tests that the list lacks:\n${unlisted.join('\n')}\n`)
      }
      assert.deepEqual(
        listed.filter((name) => !passed.has(name)),
        [],
        'tests that no longer pass'
      )
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })
    .skip(
      !checkout || !existsSync(listFile),
      'needs a checkout of https://github.com/ceph/s3-tests: set S3_TESTS'
    )
    .timeout(1_800_000)
})
