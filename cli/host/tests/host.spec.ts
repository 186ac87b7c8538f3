import { test } from '@japa/runner'
import { debianMirror, parseDeb822Format, parseListFormat } from '../apt_sources.ts'
import { metadataYaml, recipeHash } from '../base_image_recipe.ts'
import { tenantRules } from '../../../packages/incus/main.ts'
import { parseOsRelease } from '../machine_facts.ts'
import { bridgeName, freeSubnet } from '../subnet.ts'

test.group('Host | package sources', () => {
  test('reads both formats', ({ assert }) => {
    const list = parseListFormat(
      '# deb http://old main\ndeb [arch=amd64 signed-by=/k.gpg] http://m.example/debian/ trixie main contrib # why\ndeb-src http://m x main\n'
    )
    assert.deepEqual(list, [
      { uris: ['http://m.example/debian/'], suites: ['trixie'], components: ['main', 'contrib'] },
    ])
    const deb822 = parseDeb822Format(
      'Types: deb\n# comment\nURIs: http://m.example/debian\nSuites: bookworm\n bookworm-updates\nComponents: main\n\n' +
        'Types: deb\nURIs: http://off.example\nSuites: x\nComponents: main\nEnabled: no\n'
    )
    assert.deepEqual(deb822, [
      {
        uris: ['http://m.example/debian'],
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main'],
      },
    ])
  })

  test("finds the machine's own mirror, else the public one", ({ assert }) => {
    const sources = parseListFormat(
      'deb http://extra.example/x bookworm other\ndeb http://m.example/debian/ bookworm main\ndeb http://m.example/sec bookworm-security main\n'
    )
    assert.deepEqual(debianMirror(sources, 'bookworm'), {
      archive: 'http://m.example/debian',
      security: 'http://m.example/sec',
    })
    assert.equal(debianMirror([], 'noble').archive, 'http://deb.debian.org/debian')
  })

  test('knows the family of a system', ({ assert }) => {
    const ubuntu = parseOsRelease('ID=ubuntu\nID_LIKE="debian"\nVERSION_CODENAME=noble\n')
    assert.deepEqual(ubuntu, { id: 'ubuntu', families: ['ubuntu', 'debian'], codename: 'noble' })
  })
})

test.group('Host | network', () => {
  test('gives every home its own short bridge name', ({ assert }) => {
    assert.notEqual(bridgeName('/a'), bridgeName('/b'))
    assert.isAtMost(bridgeName('/a/very/long/home/of/somebody').length, 15)
  })

  test('avoids networks that the machine has', ({ assert }) => {
    const first = freeSubnet('/a', [])
    assert.match(first, /^10\.\d+\.\d+\.1\/24$/)
    assert.notEqual(freeSubnet('/a', [first]), first)
    const half = freeSubnet('/a', ['10.0.0.0/9'])
    assert.isAtLeast(Number(half.split('.')[1]), 128)
    assert.throws(() => freeSubnet('/a', ['10.0.0.0/8']), /No free private network/)
  })

  test('drops the host and private networks, the allowed ones first', ({ assert }) => {
    const rules = tenantRules(['192.0.2.2', '10.1.2.3', '2001:db8::1', 'fe80::1'], ['10.9.0.5/32'])
    const [allowed, ...rest] = rules.map(({ action, destination }) => `${action} ${destination}`)
    assert.equal(allowed, 'allow 10.9.0.5/32')
    assert.includeMembers(rest, [
      'drop 192.0.2.2',
      'drop 2001:db8::1',
      'drop 10.0.0.0/8',
      'drop 169.254.0.0/16',
    ])
    assert.notInclude(rest, 'drop 10.1.2.3')
  })
})

test.group('Host | base image', () => {
  test('the recipe decides whether it is built again', ({ assert }) => {
    assert.equal(recipeHash('x64'), recipeHash('x64'))
    assert.notEqual(recipeHash('x64'), recipeHash('arm64'))
    const yaml = metadataYaml('x86_64', new Date(1000), 'abc')
    assert.match(yaml, /^architecture: x86_64\ncreation_date: 1\n/)
    assert.match(yaml, /berth\.recipe: "abc"/)
  })
})
