import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import {
  parseInstallablePackages,
  chooseDebianMirror,
  parseDeb822Format,
  parseSourcesList,
} from '../apt_sources.ts'
import { metadataYaml, recipeHash } from '../base_image_recipe.ts'
import { type AclRule, tenantRules } from '../../../packages/incus/main.ts'
import { publicServices } from '../../roles.ts'
import { retryWhileAddressInUse } from '../incus.ts'
import { raiseKernelLimits } from '../kernel_limits.ts'
import { isDebianLike, parseOsRelease } from '../operating_system.ts'
import { bridgeName, chooseFreeSubnet } from '../subnet.ts'

const publicMirror = {
  archive: 'http://deb.debian.org/debian',
  security: 'http://deb.debian.org/debian-security',
}

test.group('Host | package sources', () => {
  test('apt sources are read in both formats (sources.list and deb822)', ({ assert }) => {
    const list = parseSourcesList(
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

  test('the machine’s own Debian mirror is used, otherwise the public mirror', ({ assert }) => {
    const sources = parseSourcesList(
      'deb http://extra.example/x bookworm other\ndeb http://m.example/debian/ bookworm main\ndeb http://m.example/sec bookworm-security main\n'
    )
    assert.deepEqual(chooseDebianMirror(sources, { id: 'debian', codename: 'bookworm' }), {
      archive: 'http://m.example/debian',
      security: 'http://m.example/sec',
    })
    assert.deepEqual(chooseDebianMirror([], { id: 'debian', codename: 'trixie' }), publicMirror)
  })

  test('an Ubuntu machine uses the public Debian mirror, because Ubuntu’s mirrors do not contain Debian', ({
    assert,
  }) => {
    const noble = parseOsRelease(
      'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nVERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\nUBUNTU_CODENAME=noble\n'
    )
    const sources = parseDeb822Format(
      '# See http://help.ubuntu.com/community/UpgradeNotes\nTypes: deb\nURIs: http://archive.ubuntu.com/ubuntu/\nSuites: noble noble-updates noble-backports\nComponents: main restricted universe multiverse\nSigned-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n\n' +
        '## Ubuntu security updates.\nTypes: deb\nURIs: http://security.ubuntu.com/ubuntu/\nSuites: noble-security\nComponents: main restricted universe multiverse\nSigned-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n'
    )
    assert.deepEqual(
      sources.map(({ suites }) => suites),
      [['noble', 'noble-updates', 'noble-backports'], ['noble-security']]
    )
    assert.isTrue(isDebianLike(noble))
    assert.deepEqual(chooseDebianMirror(sources, noble), publicMirror)
  })

  test('a source that is a file with a list of mirrors is not used for instances', ({ assert }) => {
    const cloud = parseDeb822Format(
      'Types: deb deb-src\nURIs: mirror+file:///etc/apt/mirrors/debian.list\nSuites: trixie trixie-updates trixie-backports\nComponents: main\n\n' +
        'Types: deb deb-src\nURIs: mirror+file:///etc/apt/mirrors/debian-security.list\nSuites: trixie-security\nComponents: main\n'
    )
    assert.deepEqual(chooseDebianMirror(cloud, { id: 'debian', codename: 'trixie' }), publicMirror)
  })

  test('the name of the Incus package depends on the distribution', ({ assert }) => {
    const shown = (name: string, version: string) =>
      `${name}:\n  Installed: (none)\n  Candidate: ${version}\n  Version table:\n     ${version} 500\n        500 http://m.example noble/universe amd64 Packages\n`
    const trixie = shown('incus-base', '6.0.4-2') + shown('incus', '6.0.4-2')
    assert.deepEqual(parseInstallablePackages(trixie), ['incus-base', 'incus'])
    // Ubuntu 24.04 has no `incus-base`. apt prints nothing about packages that it does not know.
    assert.deepEqual(parseInstallablePackages(shown('incus', '6.0.0-1ubuntu0.3')), ['incus'])
    assert.deepEqual(
      parseInstallablePackages('incus:\n  Installed: (none)\n  Candidate: (none)\n'),
      []
    )
  })

  test('Debian and its derivatives are recognized', ({ assert }) => {
    const like = (text: string) => isDebianLike(parseOsRelease(text))
    assert.isTrue(like('ID=debian\nVERSION_CODENAME=trixie\n'))
    assert.isTrue(like('ID=linuxmint\nID_LIKE="ubuntu debian"\n'))
    assert.isFalse(like('NAME="Fedora Linux"\nID=fedora\nVERSION_CODENAME=""\n'))
    assert.isFalse(like(''))
  })
})

test.group('Host | kernel limits', () => {
  test('limits below Berth’s values are raised and saved, and higher limits stay', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-limits-'))
    cleanup(() => rm(folder, { recursive: true }))
    const at = (name: string) => join(folder, 'sys', name)
    await mkdir(at('fs/inotify'), { recursive: true })
    await mkdir(at('vm'))
    await mkdir(at('net/netfilter'), { recursive: true })
    const timeout = at('net/netfilter/nf_conntrack_tcp_timeout_time_wait')
    await writeFile(timeout, '120\n')
    await writeFile(at('fs/inotify/max_user_instances'), '128\n')
    await writeFile(at('vm/max_map_count'), '999999\n')
    const said: string[] = []
    const file = join(folder, 'berth.conf')
    await raiseKernelLimits((line) => void said.push(line), { proc: at(''), file })
    assert.equal(await readFile(at('fs/inotify/max_user_instances'), 'utf8'), '1048576\n')
    assert.equal(await readFile(at('vm/max_map_count'), 'utf8'), '999999\n')
    assert.equal(await readFile(timeout, 'utf8'), '30\n')
    assert.match(await readFile(file, 'utf8'), /^fs\.inotify\.max_user_instances = 1048576$/m)
    assert.deepEqual(said, [])
  })

  test('limits of kernel tables that instances could fill depend on the machine’s memory', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-limits-'))
    cleanup(() => rm(folder, { recursive: true }))
    const at = (name: string) => join(folder, 'sys', name)
    const read = async (name: string) => Number(await readFile(at(name), 'utf8'))
    const [max, buckets] = ['max', 'buckets'].map((name) => `net/netfilter/nf_conntrack_${name}`)
    const names = [max!, buckets!, 'fs/aio-max-nr', 'net/ipv6/neigh/default/gc_thresh3']
    for (const name of names) {
      await mkdir(dirname(at(name)), { recursive: true })
      await writeFile(at(name), '1000\n')
    }
    const said: string[] = []
    const file = join(folder, 'berth.conf')
    const raise = (memoryGib: number) =>
      raiseKernelLimits((line) => void said.push(line), {
        proc: at(''),
        file,
        memoryBytes: memoryGib * 1024 ** 3,
      })
    await raise(32)
    assert.deepEqual(await Promise.all(names.map(read)), [1_048_576, 1_048_576, 524_288, 8_192])

    // The file now contains values that are too large, as if Berth had written them when the machine had more memory.
    await raise(1)
    assert.deepEqual(await Promise.all(names.map(read)), [163_840, 163_840, 32_768, 8_192])
    const kept = await readFile(file, 'utf8')
    assert.match(kept, /^net\.netfilter\.nf_conntrack_max = 163840$/m)
    assert.notInclude(kept, '1048576')
    assert.deepEqual(said, [])

    // Berth keeps the administrator's higher value, and reports its consequences.
    await writeFile(at(max!), '2000000\n')
    await raise(1)
    assert.equal(await read(max!), 2_000_000)
    assert.lengthOf(said, 1)
    assert.include(said[0], 'Instances fill at most three quarters of 163840 entries')
  })
})

test.group('Host | network', () => {
  test('each home has its own short bridge name', ({ assert }) => {
    assert.notEqual(bridgeName('/a'), bridgeName('/b'))
    assert.isAtMost(bridgeName('/a/very/long/home/of/somebody').length, 15)
  })

  test('the chosen subnet does not overlap the machine’s own networks', ({ assert }) => {
    const first = chooseFreeSubnet('/a', [])
    assert.match(first, /^10\.\d+\.\d+\.1\/24$/)
    assert.notEqual(chooseFreeSubnet('/a', [first]), first)
    const half = chooseFreeSubnet('/a', ['10.0.0.0/9'])
    assert.isAtLeast(Number(half.split('.')[1]), 128)
    assert.throws(() => chooseFreeSubnet('/a', ['10.0.0.0/8']), /There is no free private network/)
  })

  const bridge = { address: '10.1.2.1', netmask: '24', isBridge: true }
  const host = ['192.0.2.2', '192.168.7.2', '127.0.0.1', '::1', '2001:db8::1', 'fe80::1'].map(
    (address) => ({ address, netmask: '24', isBridge: false })
  )

  /**
   * Returns whether the rules let traffic to an address through. As in Incus, drop rules take precedence over allow
   * rules, and traffic without a matching rule is dropped.
   */
  const lets = (rules: AclRule[], address: string, port?: number) => {
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    const named = (action: string) =>
      rules.some((rule) => {
        const isPort = !rule.protocol || rule.destination_port!.split(',').includes(String(port))
        return rule.action === action && isPort && listOf(rule.destination!).check(address, family)
      })
    return named('allow') && !named('drop')
  }

  const listOf = (destination: string) => {
    const list = new BlockList()
    for (const part of destination.split(',')) {
      const [first, last] = part.split('-')
      const [network, bits] = part.split('/')
      const family = isIP(part.split(/[-/]/)[0]!) === 4 ? 'ipv4' : 'ipv6'
      if (last) list.addRange(first!, last, family)
      else if (bits) list.addSubnet(network!, Number(bits), family)
      else list.addAddress(part, family)
    }
    return list
  }

  test('instances can reach the internet, but neither the host nor private networks', ({
    assert,
  }) => {
    const rules = tenantRules([bridge, ...host])
    const open = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '192.0.2.1', '192.0.2.3']
    const public6 = ['2001:db8::2', '2606:4700::1111']
    for (const address of [...open, '223.255.255.255', ...public6]) {
      assert.isTrue(lets(rules, address), address)
    }
    const inside = ['0.0.0.0', '10.1.2.3', '100.64.0.1', '172.31.255.255', '169.254.169.254']
    const groups = [
      '192.0.2.0',
      '192.0.2.255',
      '224.0.0.251',
      '255.255.255.255',
      'ff02::fb',
      '64:ff9b::a01:203',
      'fd00::2',
    ]
    for (const { address } of [bridge, ...host]) assert.isFalse(lets(rules, address, 443), address)
    for (const address of [...inside, ...groups]) assert.isFalse(lets(rules, address), address)
  })

  test('instances can reach the host’s public services by TCP at its public addresses', ({
    assert,
  }) => {
    const everyAddress = [bridge, ...host].map(({ address }) => address)
    const reached = (address?: string, all = [bridge, ...host]) => {
      const rules = tenantRules(all, { ports: [443, 3337], address })
      assert.isEmpty(everyAddress.filter((one) => lets(rules, one, 22) || lets(rules, one)))
      return everyAddress.filter((one) => lets(rules, one, 443) && lets(rules, one, 3337))
    }
    assert.deepEqual(reached(), ['192.0.2.2'])
    assert.deepEqual(reached('192.168.7.2'), ['192.0.2.2', '192.168.7.2'])
    for (const address of ['10.1.2.1', '127.0.0.1', '192.168.7.3', 'a name']) {
      assert.deepEqual(reached(address), ['192.0.2.2'], address)
    }
    const metadata = { address: '169.254.169.254', netmask: '32', isBridge: false }
    assert.isFalse(
      lets(tenantRules([metadata], { ports: [80], ...metadata }), '169.254.169.254', 80)
    )
    assert.deepEqual(tenantRules(host, { ports: [] }), tenantRules(host))
  })
})

test.group('Host | public services', () => {
  const ports = {
    web: 1,
    gateway: 2,
    vault: 3,
    mail: 4,
    mail_smtp: 587,
    mail_inbound: 25,
    metrics: 6,
  }
  const edge = { admin: '', httpPort: 80, httpsPort: 443 }

  test('the public services are websites, object storage and mail, each if the settings enable it', ({
    assert,
  }) => {
    assert.deepEqual(publicServices(ports, edge, {}), { ports: [3, 4, 80, 443, 587] })
    const urls = { VAULT_URL: 'https://vault.example.com:8443', MAIL_URL: 'http://m.example.com' }
    assert.deepEqual(publicServices(ports, edge, { ...urls, PUBLIC_IP: '192.168.7.2' }), {
      ports: [3, 4, 80, 443, 587, 8443],
      address: '192.168.7.2',
    })
  })
})

test.group('Host | base image', () => {
  test('a changed recipe causes a new build of the base image', ({ assert }) => {
    assert.equal(recipeHash('x64'), recipeHash('x64'))
    assert.notEqual(recipeHash('x64'), recipeHash('arm64'))
    const yaml = metadataYaml('x86_64', new Date(1000), 'abc')
    assert.match(yaml, /^architecture: x86_64\ncreation_date: 1\n/)
    assert.match(yaml, /berth\.recipe: "abc"/)
  })
})

test.group('Host | bridge', () => {
  test('a bridge change is retried while the old dnsmasq uses the address, but after no other error', async ({
    assert,
  }) => {
    const refusals = ['Address already in use', 'Address already in use']
    const change = async () => {
      const refusal = refusals.shift()
      if (refusal) throw new Error(`failed to create listening socket for 10.1.2.1: ${refusal}`)
      return 'changed'
    }
    assert.equal(await retryWhileAddressInUse(change, 1), 'changed')
    let asked = 0
    const other = retryWhileAddressInUse(async () => {
      asked++
      throw new Error('No such network')
    }, 1)
    await assert.rejects(() => other, /No such network/)
    assert.equal(asked, 1)
  })
})
