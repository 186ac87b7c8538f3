/**
 * Benchmark of a first installation on an empty machine with Debian 13. Once from a clone: `./berth up` in a root
 * directory that `.ci/bare` creates. Once from the package: `apt install` in an instance with systemd. A first round,
 * which is not measured, fills caches with the downloads from Debian and npm and with the base image.
 */
import { Incus } from '../packages/incus/main.js'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuild } from '../cli/build.js'
import { openHome } from '../cli/berth_home.js'
import { CleanupStack } from '../cli/cleanup_stack.js'
import { startIncusHost } from '../cli/incus_host.js'
import { chooseFreeSubnet, readLocalRoutes } from '../cli/host/subnet.js'
import { writeDebianPackage } from '../cli/debian_package/build.js'
import { installRoot } from '../cli/paths.js'
import { runProgram } from '../cli/run_program.js'
import { eventually } from '#tests/support/eventually'
import { resultRow, measureMs, type Bench, type ResultRow } from './measurement.js'

export default {
  name: 'fresh',
  async run({ say }) {
    say('The clone: a first round fills the caches')
    const clone = await fromClone(say)
    say('The package: an instance of Debian 13')
    return [...clone, await fromPackage(say)]
  },
} satisfies Bench

/**
 * Program that polls the embedded database of a clone until an instance is active. Its argument is the clone's folder.
 */
const POLL_PROGRAM = `
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
const clone = process.argv[1]
const { Client } = createRequire(clone + '/package.json')('pg')
const read = async (name) => JSON.parse(await readFile(clone + '/.berth/' + name, 'utf8'))
const { postgresPort } = await read('state.json')
const { databaseApp } = await read('secrets.json')
const client = new Client('postgres://berth_app:' + databaseApp + '@127.0.0.1:' + postgresPort + '/berth')
await client.connect()
for (;;) {
  const { rowCount } = await client.query("select 1 from server_instances where status = 'active' limit 1")
  if (rowCount) process.exit()
  await new Promise((done) => setTimeout(done, 100))
}
`

/**
 * Script that runs inside the bare root directory. Both rounds use the same ports. Between the rounds, the script
 * removes the clone and the Debian packages of the first round, but no caches.
 */
const ROUNDS_SCRIPT = `set -eu
source=$PWD poll=$1
cd /root
until_said() { until grep -q -- "$2" "$1.log"; do kill -0 "$pid" || { cat "$1.log"; exit 1; }; sleep 0.05; done; }
since() { echo "figure $1 $(( ($(date +%s%N) - started) / 1000000 ))"; }
begin() {
  started=$(date +%s%N)
  git clone --quiet "$source" "/root/$1"
  (cd "/root/$1" && exec ./berth up $2) > "$1.log" 2>&1 &
  pid=$!
}
dpkg-query -W -f '\${Package}\\n' | sort > before
begin filling ''
until_said filling '✓ Build the base image'
kill "$pid"; wait "$pid" || true
rm -rf filling
dpkg-query -W -f '\${Package}\\n' | sort > after
DEBIAN_FRONTEND=noninteractive apt-get -q -y purge $(comm -13 before after) > purge.log 2>&1
begin measured --demo
until_said measured '✓ Start the console'
since page
until_said measured 'Add sample data'
/root/measured/.node/bin/node --input-type=module -e "$poll" /root/measured
since instance
grep '✓' measured.log
kill "$pid"; wait "$pid" || true
`

const stepsOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.includes('✓'))
    .join('\n')

async function fromClone(say: (line: string) => void): Promise<ResultRow[]> {
  const argv = ['.ci/bare', 'trixie', 'bash', '-c', ROUNDS_SCRIPT, 'bash', POLL_PROGRAM]
  const { code, output } = await runProgram(argv, { cwd: installRoot })
  const figure = (name: string) =>
    Number(new RegExp(`^figure ${name} (\\d+)$`, 'm').exec(output)?.[1])
  if (code !== 0 || Number.isNaN(figure('instance'))) {
    throw new Error(output.split('\n').slice(-40).join('\n'))
  }
  say(stepsOf(output))
  return [
    resultRow({
      case: 'clone to first page',
      unit: 's',
      ours: figure('page') / 1000,
      goal: '<= 45',
    }),
    resultRow({
      case: 'clone to first active instance',
      unit: 's',
      ours: figure('instance') / 1000,
      goal: '<= 90',
    }),
  ]
}

/** `apt install` of the package returns as soon as the console serves its first page. */
async function fromPackage(say: (line: string) => void): Promise<ResultRow> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-fresh-'))
  await chmod(folder, 0o755)
  const life = new CleanupStack()
  let milliseconds = NaN
  await life.during(async () => {
    await ensureBuild()
    await writeDebianPackage(join(folder, 'package'))
    const home = await openHome(join(folder, 'home'))
    const host = startIncusHost(home, life, { poolSize: 12 * 1024 ** 3, removeAtEnd: true })
    if (!(await host.image)) throw new Error('No Incus on this machine')
    const incus = Incus.local(host.services.incusSocket!)
    milliseconds = await installIn(incus, join(folder, 'package'), say).finally(() => incus.close())
  })
  await rm(folder, { recursive: true, force: true })
  const ours = milliseconds / 1000
  return resultRow({ case: 'package to first page', unit: 's', ours, goal: '<= 20' })
}

async function installIn(
  incus: Incus,
  source: string,
  say: (line: string) => void
): Promise<number> {
  const [name, network] = ['fresh', 'berthfresh']
  const inside = async (script: string, timeout = 300) => {
    const argv = ['sh', '-c', script]
    const { exitCode, stdout, stderr } = await incus.instances.exec(name, argv, { timeout })
    if (exitCode !== 0) throw new Error(`${script.slice(0, 60)}: ${stdout}${stderr}`)
    return stdout.toString()
  }
  await incus.networks.create({
    name: network,
    config: {
      'ipv4.address': chooseFreeSubnet(network, await readLocalRoutes()),
      'ipv4.nat': 'true',
      'ipv6.address': 'none',
    },
  })
  const { root: disk } = (await incus.profiles.get('default')).devices
  const made = await incus.instances.create({
    name,
    image: 'berth-base',
    start: true,
    devices: {
      root: { ...disk!, size: '8GiB' },
      eth0: { type: 'nic', name: 'eth0', network },
      package: { type: 'disk', readonly: 'true', source, path: '/package' },
    },
  })
  await made.wait(120)
  const apt = 'DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install'
  try {
    await eventually(() => inside('apt-get -q -o APT::Update::Error-Mode=any update'), 120_000)
    // Stops the base image's Apache, which would use the port of Berth's edge proxy.
    await inside('systemctl disable --now apache2.service')
    await inside(`${apt} --download-only /package/*.deb`)
    let said = ''
    const took = await measureMs(async () => {
      said = await inside(`${apt} /package/*.deb && curl -fsS http://127.0.0.1:3333/`)
    })
    say(stepsOf(said))
    return took
  } finally {
    await (await incus.instances.setState(name, 'stop', { force: true })).wait(120)
    await (await incus.instances.delete(name)).wait(120)
    await incus.networks.delete(network)
  }
}
