import { isPublicIpAddress, resolvePublicHost } from '#core/resolve_public_host'
import { AppError } from '#core/app_error'
import { RepositoryAddress } from '#git/repository_address'
import { test } from '@japa/runner'

async function refusalOf(link: string): Promise<string> {
  try {
    await RepositoryAddress.ofLink(link).settings()
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return error.errors!.repository[0]
    throw error
  }
  return 'not refused'
}

test.group('Addresses of repositories', () => {
  for (const link of [
    'ext::sh -c touch% /tmp/owned',
    'ext::touch',
    'file:///etc/passwd',
    'FILE:///etc',
    '/etc',
    '../other',
    'git://example.com/a.git',
    'http://example.com/a.git',
    'ftp://example.com/a.git',
    'ssh+git://git@example.com/a.git',
    'example.com:a.git',
    'data:,x',
    'fd::7',
  ]) {
    test(`rejects the scheme of ${link}`, async ({ assert }) => {
      const words = await refusalOf(link)
      assert.match(
        words,
        /^Enter an address that begins with https|^This is not a repository address/
      )
    })
  }

  for (const link of [
    '--upload-pack=touch /tmp/owned',
    '-oProxyCommand=x',
    '-',
    'https://',
    'https:// /x',
    'https://example.com/a b',
    'https://example.com/a\nb',
    'https://example.com\\@127.0.0.1/',
    'https://ana:secret@example.com/a.git',
    'https://ana@example.com/a.git',
    `https://example.com/${'a'.repeat(3_000)}`,
    'ssh://-oProxyCommand=touch%20x/a.git',
    'ssh://git@-oProxyCommand=x/a.git',
    'ssh://-oProxyCommand=x@example.com/a.git',
    'ssh://git@example.com/-oProxyCommand=x',
    'ssh://git@example.com:22x/a.git',
    'ssh://git@example.com:0/a.git',
    'ssh://git@example.com:70000/a.git',
    'ssh://git:secret@example.com/a.git',
    'ssh://example.com/a.git',
    'ssh://git@example.com',
    'ssh://git@example.com/',
    'ssh://git@$(id)/a.git',
    'ssh://git@-x/a.git',
    'ssh://-x@example.com/a.git',
    'git@-x:a.git',
    '-x@example.com:a.git',
    'git@-oProxyCommand=x:a.git',
    '-oProxyCommand=x@example.com:a.git',
    'git@example.com:-oProxyCommand=x',
    'git@example.com:/-x',
    'git@example.com:',
    'git@exa`id`mple.com:a.git',
    'git@%h:a.git',
    '',
  ]) {
    test(`rejects ${JSON.stringify(link).slice(0, 50)}`, async ({ assert }) => {
      assert.notEqual(await refusalOf(link), 'not refused')
    })
  }

  for (const host of [
    'localhost',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '169.254.170.2',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[ff02::1]',
  ]) {
    test(`rejects the private host ${host}`, async ({ assert }) => {
      assert.include(await refusalOf(`https://${host}/a.git`), 'private network')
    })
  }

  test('reports an unknown host', async ({ assert }) => {
    assert.include(await refusalOf('https://nowhere.invalid/a.git'), 'nowhere.invalid')
  })

  test('git connects only to the resolved address', async ({ assert }) => {
    const settings = await RepositoryAddress.ofLink('https://8.8.8.8:8443/a.git#x').settings()
    assert.includeMembers(settings, [
      'protocol.https.allow=always',
      'http.followRedirects=false',
      'http.curloptResolve=8.8.8.8:8443:8.8.8.8',
    ])
    assert.notInclude(settings.join(' '), 'protocol.http.allow')
    assert.equal(
      RepositoryAddress.ofLink('HTTPS://Example.COM/a.git#x').url,
      'https://example.com/a.git'
    )
  })

  test('SSH URLs of one repository have one canonical form', ({ assert }) => {
    const name = 'git@git.example.com:22/me/shop'
    for (const link of [
      'git@git.example.com:me/shop.git',
      'git@Git.Example.com:/me/shop',
      'ssh://git@git.example.com/me/shop.git',
      'SSH://git@git.example.com:22/me/shop/',
    ]) {
      assert.equal(RepositoryAddress.ofLink(link).ssh?.name, name)
      assert.equal(RepositoryAddress.ofLink(link).url, link)
    }
    assert.include(RepositoryAddress.ofLink('ssh://git@[2606:4700::1]:2222/a').ssh, {
      host: '2606:4700::1',
      port: 2222,
      name: 'git@2606:4700::1:2222/a',
    })
  })

  test('public IP addresses are recognized', async ({ assert }) => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']) {
      assert.isTrue(isPublicIpAddress(address), address)
    }
    assert.isFalse(isPublicIpAddress('example.com'))
    assert.deepEqual(await resolvePublicHost('[2606:4700::1111]'), {
      kind: 'public',
      addresses: ['2606:4700::1111'],
    })
  })
})
