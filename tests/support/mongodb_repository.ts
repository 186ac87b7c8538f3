import { installRoot } from '../../cli/paths.js'
import { runProgram } from '../../cli/run_program.js'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SERVICE_UNIT = `[Unit]
Description=A scripted server in MongoDB's place

[Service]
ExecStart=/usr/local/bin/node /usr/lib/scripted-mongodb/server.ts serve 27017
User=mongodb
Restart=no

[Install]
WantedBy=multi-user.target
`
const POSTINST_SCRIPT = `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
useradd --system --no-create-home --shell /usr/sbin/nologin mongodb 2>/dev/null || true
install -d -o mongodb /var/lib/mongodb /var/log/mongodb
install -o mongodb /dev/null /var/log/mongodb/mongod.log
echo 'It was installed' > /var/log/mongodb/mongod.log
`

/**
 * Creates an unsigned APT repository like MongoDB's own, for one Debian suite. Its package `mongodb-org-server`
 * contains the fake MongoDB. APT accepts the repository only if it is marked as `trusted`.
 * @returns file contents by path
 */
export async function makeMongodbRepository(suite: string): Promise<Map<string, Buffer>> {
  const place = await mkdtemp(join(tmpdir(), 'mongodb-repository-'))
  try {
    const tree = join(place, 'package')
    const library = join(tree, 'usr/lib/scripted-mongodb')
    const driver = join(library, 'node_modules/mongodb')
    for (const folder of ['DEBIAN', 'usr/lib/systemd/system']) {
      await mkdir(join(tree, folder), { recursive: true })
    }
    await mkdir(driver, { recursive: true })
    await cp(join(installRoot, 'tests/support/fake_mongodb.ts'), join(library, 'server.ts'))
    await writeFile(join(library, 'package.json'), '{"type":"module"}')
    // Copies only BSON from the driver, because the fake MongoDB uses nothing else of it.
    await cp(join(installRoot, 'node_modules/bson/lib/bson.node.mjs'), join(driver, 'bson.mjs'))
    await writeFile(join(driver, 'index.mjs'), "export * as BSON from './bson.mjs'\n")
    await writeFile(join(driver, 'package.json'), '{"name":"mongodb","exports":"./index.mjs"}')
    await writeFile(join(tree, 'usr/lib/systemd/system/mongod.service'), SERVICE_UNIT)
    const control = [
      'Package: mongodb-org-server',
      'Version: 8.0.99',
      'Architecture: amd64',
      'Maintainer: Tests <tests@example.com>',
      'Description: a scripted server',
      '',
    ]
    await writeFile(join(tree, 'DEBIAN/control'), control.join('\n'))
    await writeFile(join(tree, 'DEBIAN/postinst'), POSTINST_SCRIPT, { mode: 0o755 })
    const file = join(place, 'server.deb')
    const built = await runProgram([
      'dpkg-deb',
      '--root-owner-group',
      '-Zgzip',
      '--build',
      tree,
      file,
    ])
    if (built.code !== 0) throw new Error(`No package could be made: ${built.output}`)
    const deb = await readFile(file)
    const path = `pool/mongodb-org-server_8.0.99_amd64.deb`
    const packages = Buffer.from(
      [
        ...control.slice(0, -1),
        `Filename: ${path}`,
        `Size: ${deb.length}`,
        `SHA256: ${sha256(deb)}`,
        '',
      ].join('\n')
    )
    const index = 'main/binary-amd64/Packages'
    const release = [
      `Suite: ${suite}`,
      `Codename: ${suite}/mongodb-org`,
      'Architectures: amd64',
      'Components: main',
      'SHA256:',
      ` ${sha256(packages)} ${packages.length} ${index}`,
      '',
    ].join('\n')
    const folder = `dists/${suite}/mongodb-org/8.0`
    return new Map([
      [path, deb],
      [`${folder}/${index}`, packages],
      [`${folder}/Release`, Buffer.from(release)],
    ])
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
