import {
  parseFilePathInWebRoot,
  parseFileName,
  parsePathInWebRoot,
  parseTextPathInWebRoot,
  parseRelativeWebFolder,
  encodePathInWebRoot,
} from '#guest/machine/web_paths'
import { toOctalEscapes, losslessTextToBytes, bytesToLosslessText } from '#guest/machine/raw_names'
import { AppError } from '#core/app_error'
import { test } from '@japa/runner'

function refusal(work: () => unknown): AppError | null {
  try {
    work()
    return null
  } catch (error) {
    return error as AppError
  }
}

test.group('Paths below the web root', () => {
  test('are parsed relative to the web root', ({ assert }) => {
    assert.equal(parsePathInWebRoot(undefined), '')
    assert.equal(parsePathInWebRoot('/'), '')
    assert.equal(parsePathInWebRoot('/a/b.txt'), 'a/b.txt')
    assert.equal(parsePathInWebRoot('a/./b/'), 'a/b')
    for (const name of ['a b', `it's "so"`, 'two\nlines', '-rf', 'ভাষা', '100%', '%41', '..a', '…']) {
      assert.equal(parsePathInWebRoot(`x/${name}`), `x/${name}`)
      assert.equal(parseFileName(name), name)
    }
    assert.equal(parseFileName('n'.repeat(255)).length, 255)
  })

  test('paths that could lead outside are rejected with a message: {$self}')
    .with([
      '..',
      'a/../b',
      '/../etc',
      '//etc/passwd',
      'a\0b',
      '%2e%2e/etc',
      '%2E%2E',
      '%252e%252e',
      'a%2fb',
      '%2e%2e%2fetc',
      'x%00',
      '..%5c',
      '\ud800',
      'n'.repeat(256),
      'ক'.repeat(86),
      'a/'.repeat(2_100),
      '.berth-raw-2e2e',
      '.berth-raw-612f62',
      '.berth-raw-00',
      `.berth-raw-${'61'.repeat(256)}`,
      '.berth-part',
      ['a'] as unknown as string,
    ])
    .run(({ assert }, path) => {
      const found = refusal(() => parsePathInWebRoot(path))
      assert.equal(found?.status, 422)
      assert.isAbove(found?.errors?.path[0].length ?? 0, 10)
    })

  test('keep every byte when encoded and decoded again', ({ assert }) => {
    for (const bytes of [[0xff], [0x61, 0xe9, 0x62], [0xf0, 0x9f, 0x9a], [0xed, 0xb2, 0x80]]) {
      const name = Buffer.from([...bytes, ...Buffer.from('🚢\\')])
      assert.isTrue(losslessTextToBytes(bytesToLosslessText(name)).equals(name))
      const wire = encodePathInWebRoot(`a/${bytesToLosslessText(name)}/b`)
      assert.match(wire, /^a\/\.berth-raw-[0-9a-f]+\/b$/)
      assert.equal(parsePathInWebRoot(wire), `a/${bytesToLosslessText(name)}/b`)
      assert.isTrue(toOctalEscapes(bytesToLosslessText(name)).isWellFormed())
    }
    assert.equal(toOctalEscapes('\\\udcff'), '\\0134\\0377')
    assert.equal(encodePathInWebRoot('a b/ñ🚢.txt'), 'a b/ñ🚢.txt')
  })

  test('names of new entries are single plain names', ({ assert }) => {
    for (const name of ['', 'a/b', '.', '..', '.berth-x', '.berth-raw-61', 'a\0', 5]) {
      assert.equal(refusal(() => parseFileName(name))?.status, 422)
    }
    assert.equal(refusal(() => parseFilePathInWebRoot('/'))?.status, 422)
  })

  test('paths for git and shell commands are rejected if they are not valid text', ({ assert }) => {
    assert.equal(parseTextPathInWebRoot('/sites/ভাষা %41/'), 'sites/ভাষা %41')
    assert.equal(parseTextPathInWebRoot(encodePathInWebRoot('a%2fb')), 'a%2fb')
    const found = refusal(() =>
      parseTextPathInWebRoot(encodePathInWebRoot('a/x\udcff'), 'directory')
    )
    assert.equal(found?.status, 422)
    assert.property(found?.errors, 'directory')
  })

  test('folders for configuration files contain only plain names', ({ assert }) => {
    for (const path of ['shop', '/shop/', 'public_html/shop', '/var/www/public_html/shop']) {
      assert.equal(parseRelativeWebFolder(path), 'shop')
    }
    assert.equal(parseRelativeWebFolder('a/b.c/d_e-f'), 'a/b.c/d_e-f')
    assert.equal(parseRelativeWebFolder('public_html2/a'), 'public_html2/a')
    for (const path of ['', '/', '..', 'a/../b', '.git', 'a b', 'a\nb', '-x', 'a"b', 'ä']) {
      assert.isNull(parseRelativeWebFolder(path), path)
    }
  })
})
