import {
  connectionLimitRules,
  conntrackTableSizeFor,
  enlargeConntrackTable,
  maxConntrackTableSize,
} from '../connection_limits.ts'
import { runForOutput } from '../run_for_output.ts'
import { test } from '@japa/runner'
import { pollUntil } from '../../tests/poll_until.js'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Perl program that sends UDP packets, each from a new port, so that each is a new connection. Arguments: address,
 * count.
 */
const CONNECTIONS_PROGRAM = `use IO::Socket::IP;
my ($to, $count) = @ARGV;
for (1..$count) {
  my $socket = IO::Socket::IP->new(PeerHost => $to, PeerPort => 9, Proto => 'udp', Type => SOCK_DGRAM) or die $!;
  $socket->send('x');
}`
/** Perl program that sends one UDP packet to the host from each of many forged hardware addresses. Argument: count. */
const FORGED_ADDRESSES_PROGRAM = String.raw`use Socket;
open(my $file, '<', '/sys/class/net/eth0/ifindex') or die $!;
my $index = <$file>;
socket(my $socket, 17, SOCK_RAW, 0) or die $!;
my $all = "\xff" x 6;
my $to = pack('SnlSCCa8', 17, 0x0800, $index, 0, 0, 6, $all);
my $ip = pack('CCnnnCCna4a4', 0x45, 0, 28, 1, 0, 64, 17, 0, inet_aton('10.77.0.2'), inet_aton('10.77.0.1'));
my $sum = unpack('%32n*', $ip);
$sum = ($sum >> 16) + ($sum & 0xffff) while $sum >> 16;
substr($ip, 10, 2) = pack('n', ~$sum & 0xffff);
for my $number (1..$ARGV[0]) {
  my $sender = pack('CCN', 2, 0, $number);
  send($socket, $all . $sender . "\x08\x00" . $ip . pack('nnnn', $number, 9, 8, 0), 0, $to) or die $!;
}`
const BRIDGE = 'br0'
const GIB = 1024 ** 3
const OUTSIDE = '198.51.100.1'

test.group('Host | connection limits', (group) => {
  group.each.timeout(300_000)
  if (process.getuid?.() !== 0) {
    test('instances cannot exceed their connection limits', () => {}).skip(true, 'not root')
    return
  }

  /** Simulates a host, two instances behind its bridge, and a machine outside by network namespaces. */
  async function buildNetwork() {
    const id = randomUUID().slice(0, 6)
    const [host, one, other, outside] = ['h', 'i', 'j', 'o'].map((name) => `berth-${id}-${name}`)
    const names = [host!, one!, other!, outside!]
    const ip = (name: string, command: string) =>
      runForOutput('ip', ['-n', name, ...command.split(' ')])
    const exec = (name: string, ...argv: string[]) =>
      runForOutput('ip', ['netns', 'exec', name, ...argv])
    const remove = async () => {
      for (const name of names) await runForOutput('ip', ['netns', 'delete', name]).catch(() => {})
    }
    try {
      for (const name of names) await runForOutput('ip', ['netns', 'add', name])
      await ip(host!, `link add ${BRIDGE} type bridge`)
      const links = [
        { name: one!, at: BRIDGE, address: '10.77.0.2', six: 'fd77:1::2', via: '10.77.0.1' },
        { name: other!, at: BRIDGE, address: '10.77.0.3', six: 'fd77:1::3', via: '10.77.0.1' },
        { name: outside!, at: null, address: OUTSIDE, six: 'fd77:2::1', via: '198.51.100.254' },
      ]
      for (const [index, { name, at, address, six, via }] of links.entries()) {
        const near = `near${index}`
        await ip(host!, `link add ${near} type veth peer name eth0 netns ${name}`)
        await ip(host!, at ? `link set ${near} master ${at} up` : `link set ${near} up`)
        await ip(name, 'link set eth0 up')
        await ip(name, `addr add ${address}/24 dev eth0`)
        await ip(name, `addr add ${six}/64 dev eth0 nodad`)
        const gateway = at ? BRIDGE : near
        if (index !== 1) {
          await ip(host!, `link set ${gateway} up`)
          await ip(host!, `addr add ${via}/24 dev ${gateway}`)
          await ip(host!, `addr add ${six.replace(/\d$/, 'fe')}/64 dev ${gateway} nodad`)
        }
        await ip(name, `route add default via ${via}`)
        await ip(name, `route add default via ${index === 2 ? 'fd77:2::fe' : 'fd77:1::fe'}`)
      }
      const forwarding = ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1']
      await exec(host!, 'sysctl', '-qw', ...forwarding)
    } catch (error) {
      await remove()
      throw error
    }
    const nft = (...argv: string[]) => exec(host!, 'nft', ...argv)
    return {
      remove,
      load: (rules: string) =>
        runForOutput('ip', ['netns', 'exec', host!, 'nft', '-f', '-'], { input: rules }),
      open: (from: 'one' | 'other' | 'outside', to: string, count = 1) =>
        exec({ one, other, outside }[from]!, 'perl', '-e', CONNECTIONS_PROGRAM, to, String(count)),
      forgeAddresses: (count: number) =>
        exec(one!, 'perl', '-e', FORGED_ADDRESSES_PROGRAM, String(count)),
      /**
       * Drops packets from the first instance with forged hardware addresses, as Incus does. If the kernel supports it,
       * also makes nftables see packets on the bridge.
       */
      async filterAddresses() {
        const calls = 'net.bridge.bridge-nf-call-iptables=1'
        await exec(host!, 'sysctl', '-qw', calls).catch(() => {})
        const mac = (await exec(one!, 'cat', '/sys/class/net/eth0/address')).trim()
        const rules = ['input', 'forward'].map(
          (hook) =>
            `chain ${hook} { type filter hook ${hook} priority filter; iifname near0 ether saddr != ${mac} drop; }`
        )
        await nft(`table bridge incus { ${rules.join('; ')}; }`)
        return mac
      },
      refused: async (list: string) => nft('list', 'set', 'inet', `berth_${BRIDGE}`, list),
      countEntries: async () =>
        Number(await exec(host!, 'cat', '/proc/sys/net/netfilter/nf_conntrack_count')),
    }
  }

  test('when the set of known addresses is full, only packets from new addresses are rejected (IPv4 and IPv6), until entries expire', async ({
    assert,
    cleanup,
  }) => {
    const network = await buildNetwork()
    cleanup(network.remove)
    const size = { instances: 2, tableSize: 1_048_576 }
    await network.load(connectionLimitRules(BRIDGE, size, { listSize: 4, idleSeconds: 20 }))
    for (const [first, stranger] of [
      ['fd77:1::2', 'fd77:1::99'],
      ['10.77.0.2', '10.77.0.9'],
    ]) {
      await network.open('outside', first!)
      for (let count = 1; count <= 6; count++) await network.open('outside', `${stranger}${count}`)
      const list = first!.includes(':') ? 'refused6' : 'refused4'
      const refused = await network.refused(list)
      for (const count of [4, 5, 6]) assert.include(refused, `${stranger}${count} counter`)
      assert.notInclude(refused, `${stranger}3 `)
      await network.open('outside', first!)
      assert.notInclude(await network.refused(list), `${first} `)
    }
    const rates = await network.refused('arriving6')
    assert.include(rates, 'fd77:1::2 ')
    await pollUntil(async () => !(await network.refused('arriving6')).includes('elements'))
  })

  test('all instances together have a maximum rate of new connections', async ({
    assert,
    cleanup,
  }) => {
    const network = await buildNetwork()
    cleanup(network.remove)
    const tableSize = 4_000
    await network.load(connectionLimitRules(BRIDGE, { instances: 2, tableSize }))
    await network.open('one', OUTSIDE, 1_000)
    await network.open('other', OUTSIDE, 1_000)
    await network.open('outside', '10.77.0.2', 1_000)
    await network.open('outside', '10.77.0.3', 1_000)
    const count = await network.countEntries()
    assert.isAbove(count, 200)
    // The two instances' own limits alone would allow 998 entries. The shared limit allows fewer.
    assert.isAtMost(count, 600)
  })

  test('each instance keeps its guaranteed share of this rate while others are busy', async ({
    assert,
    cleanup,
  }) => {
    const network = await buildNetwork()
    cleanup(network.remove)
    await network.load(connectionLimitRules(BRIDGE, { instances: 2, tableSize: 4_000 }))
    await network.open('one', OUTSIDE, 1_000)
    const before = await network.countEntries()
    await network.open('other', OUTSIDE, 20)
    assert.isAtLeast((await network.countEntries()) - before, 20)
    await network.open('outside', '10.77.0.2', 1_000)
    const later = await network.countEntries()
    await network.open('outside', '10.77.0.3', 20)
    assert.isAtLeast((await network.countEntries()) - later, 20)
  })

  test('packets from forged hardware addresses do not count as connections', async ({
    assert,
    cleanup,
  }) => {
    const network = await buildNetwork()
    cleanup(network.remove)
    const mac = await network.filterAddresses()
    await network.load(connectionLimitRules(BRIDGE, { instances: 2, tableSize: 1_048_576 }))
    await network.forgeAddresses(100)
    await network.open('one', '10.77.0.1')
    const senders = await network.refused('pace')
    assert.include(senders, `${mac} `)
    assert.notInclude(senders, '02:00:')
  })

  test('the limits of all instances together leave a quarter of the connection table to the host', ({
    assert,
  }) => {
    for (const [instances, tableSize] of [
      [1, 1_048_576],
      [16, 1_048_576],
      [17, 1_048_576],
      [100, 1_048_576],
      [100, conntrackTableSizeFor(100, 128 * GIB)],
      [3, 65_536],
      // Two hosts with 1 GiB of memory, and one that is itself a container, where the table has the kernel's default
      // size.
      [3, conntrackTableSizeFor(3, GIB)],
      [200, conntrackTableSizeFor(200, GIB)],
      [200, 8_192],
    ] as const) {
      const rules = connectionLimitRules(BRIDGE, { instances, tableSize })
      const entriesOf = ([, rate, unit, burst]: RegExpMatchArray) =>
        (Number(rate) / (unit === 'minute' ? 60 : 1)) * 30 + Number(burst)
      const rates = rules.matchAll(/(\d+)\/(second|minute) burst (\d+) packets counter name/g)
      const together = [...rates].map(entriesOf)
      assert.lengthOf(together, 3)
      const assured = rules.matchAll(
        /@assured_\w+ { .* limit rate (\d+)\/(second|minute) burst (\d+) packets/g
      )
      for (const match of assured) {
        const [list] = /assured_\w+/.exec(match[0])!
        const [, size] = new RegExp(`set ${list} {.* size (\\d+);`).exec(rules)!
        together.push(entriesOf(match) * Number(size))
      }
      assert.lengthOf(together, 6)
      const open = ['outgoing { ether saddr', 'incoming4 { ip daddr'].map((list) =>
        Number(rules.split(`@${list} ct count over `)[1]!.split(' ')[0])
      )
      const most = [...together, ...open.map((count) => count * instances)]
      assert.isAtMost(
        most.reduce((sum, count) => sum + count),
        (tableSize * 3) / 4
      )
    }
  })

  test('the connection table grows with the number of instances, as far as memory allows', ({
    assert,
  }) => {
    assert.equal(conntrackTableSizeFor(4, 64 * GIB), 1_048_576)
    assert.equal(conntrackTableSizeFor(100, 128 * GIB), 128 * 49_152)
    for (const memory of [GIB / 4, GIB, 2 * GIB, 4 * GIB, 16 * GIB, 64 * GIB]) {
      for (const instances of [0, 1, 20, 200]) {
        const size = conntrackTableSizeFor(instances, memory)
        assert.isAtMost(size * 400, memory / 16)
        assert.isAtMost(size, maxConntrackTableSize(memory))
      }
    }
    assert.equal(conntrackTableSizeFor(100, GIB), 163_840)
    // Returns the limit of one instance, which is lower in a small table.
    const most = (instances: number, tableSize: number) =>
      /@outgoing { ether saddr ct count over (\d+)/.exec(
        connectionLimitRules(BRIDGE, { instances, tableSize })
      )?.[1]
    assert.equal(most(16, 1_048_576), '4096')
    assert.equal(most(100, 128 * 49_152), '4096')
    assert.equal(most(100, 1_048_576), '682')
  })

  test('the number of hash buckets grows with the table, and a change that the kernel rejects is reported', async ({
    assert,
    cleanup,
  }) => {
    const proc = await mkdtemp(join(tmpdir(), 'berth-conntrack-'))
    cleanup(() => rm(proc, { recursive: true }))
    const folder = join(proc, 'net/netfilter')
    await mkdir(folder, { recursive: true })
    const write = async (max: number, buckets: number) => {
      await writeFile(join(folder, 'nf_conntrack_max'), `${max}\n`)
      await writeFile(join(folder, 'nf_conntrack_buckets'), `${buckets}\n`)
    }
    const read = async () =>
      Promise.all(
        ['max', 'buckets'].map(async (name) =>
          Number(await readFile(join(folder, `nf_conntrack_${name}`), 'utf8'))
        )
      )
    const enlarge = (memoryBytes: number) => enlargeConntrackTable(4, { proc, memoryBytes })

    await write(262_144, 65_536)
    assert.deepEqual(await enlarge(16 * GIB), { tableSize: 1_048_576, refused: [] })
    assert.deepEqual(await read(), [1_048_576, 1_048_576])

    // Berth keeps a larger table that somebody else has set. But instances may use only as much of it as the memory
    // allows.
    await write(4_194_304, 65_536)
    assert.deepEqual(await enlarge(GIB), { tableSize: 163_840, refused: [] })
    assert.deepEqual(await read(), [4_194_304, 163_840])

    // 0 means an unlimited table.
    await write(0, 8_192)
    assert.deepEqual(await enlarge(GIB), { tableSize: 163_840, refused: [] })
    assert.deepEqual(await read(), [163_840, 163_840])

    // In a container, the kernel rejects changes of these settings. To simulate this, the test replaces them by links
    // to another setting, which is always read-only and has the value 65,536.
    for (const name of ['nf_conntrack_max', 'nf_conntrack_buckets']) {
      await rm(join(folder, name))
      await symlink('/proc/sys/kernel/ngroups_max', join(folder, name))
    }
    const [max, buckets] = ['max', 'buckets'].map((name) => `net.netfilter.nf_conntrack_${name}`)
    assert.deepEqual(await enlarge(GIB), { tableSize: 65_536, refused: [max] })
    await rm(join(folder, 'nf_conntrack_max'))
    await writeFile(join(folder, 'nf_conntrack_max'), '100000\n')
    assert.deepEqual(await enlarge(GIB), { tableSize: 163_840, refused: [buckets] })
  })
})
