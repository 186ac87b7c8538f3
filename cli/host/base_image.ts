import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { arch } from 'node:os'
import { dirname, join } from 'node:path'
import { isIncusError } from '../../packages/incus/main.ts'
import type { Incus } from '../../packages/incus/main.ts'
import { chooseDebianMirror, readAptSources } from './apt_sources.ts'
import {
  BASE_IMAGE,
  CUSTOMIZE_ENV,
  CUSTOMIZE_SCRIPT_PATH,
  DEBIAN_PACKAGES,
  DEBIAN_SUITE,
  HOSTNAME_TEMPLATE,
  HOSTS_TEMPLATE,
  metadataYaml,
  NODE_VERSION,
  NPM_PACKAGES,
  OVERLAY_FILES,
  recipeHash,
  RECIPE_PROPERTY,
} from './base_image_recipe.ts'
import { readOsRelease } from './operating_system.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** Node's names of architectures, and those of Incus. */
const ARCHITECTURES: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' }

/**
 * Ensures that Incus has the image `berth-base` of the current recipe. Building it takes one to two minutes. Importing
 * a built image from `$BERTH_CACHE` (default /var/cache/berth) takes seconds. Needs root.
 */
export async function ensureBaseImage(options: {
  incus: Incus
  report?: LineReporter
}): Promise<void> {
  const { incus, report = () => {} } = options
  const recipe = recipeHash(arch())
  const present = await incus.images.byAlias(BASE_IMAGE)
  if (present?.properties[RECIPE_PROPERTY] === recipe) return
  const files = await builtFiles(recipe, report)
  report('Importing the base image')
  const fingerprint = await importImage(incus, files, recipe)
  await incus.images.setAlias(BASE_IMAGE, fingerprint, 'Image for new instances')
  if (present && present.fingerprint !== fingerprint) {
    // Deletes the old image. Existing instances do not need it: each has a copy.
    await (await incus.images.delete(present.fingerprint)).wait(300)
  }
}

interface ImageFiles {
  metadata: string
  rootfs: string
}

async function importImage(incus: Incus, files: ImageFiles, recipe: string): Promise<string> {
  const known = async () =>
    (await incus.images.list()).find((image) => image.properties[RECIPE_PROPERTY] === recipe)
  const there = await known()
  if (there) return there.fingerprint
  try {
    const properties = {
      description: `Berth base (Debian ${DEBIAN_SUITE})`,
      os: 'Debian',
      release: DEBIAN_SUITE,
      [RECIPE_PROPERTY]: recipe,
    }
    const state = await (await incus.images.import({ ...files, properties })).wait(900)
    return String(state.metadata?.fingerprint)
  } catch (error) {
    const other = isIncusError(error, 'conflict') ? await known() : undefined
    if (!other) throw error
    return other.fingerprint
  }
}

async function builtFiles(recipe: string, report: LineReporter): Promise<ImageFiles> {
  const folder = join(process.env.BERTH_CACHE || '/var/cache/berth', `base-${recipe}`)
  const files = (base: string) => ({
    metadata: join(base, 'metadata.tar'),
    rootfs: join(base, 'rootfs.tar'),
  })
  if (existsSync(folder)) return files(folder)
  await mkdir(dirname(folder), { recursive: true })
  const stage = await mkdtemp(join(dirname(folder), 'building-'))
  try {
    // apt reads the files below this folder as its own user.
    await chmod(stage, 0o755)
    await mkdir(join(stage, 'done'))
    await build(stage, files(join(stage, 'done')), recipe, report)
    // A rename is atomic. If two processes build the image at the same time, the first result is kept.
    await rename(join(stage, 'done'), folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
  return files(folder)
}

async function build(
  stage: string,
  files: ImageFiles,
  recipe: string,
  report: LineReporter
): Promise<void> {
  report(`Downloading Node ${NODE_VERSION}, npm and PM2`)
  await fetchNode(join(stage, 'node'))
  await writeOverlay(join(stage, 'overlay'))
  const script = join(stage, 'customize.sh')
  await cp(CUSTOMIZE_SCRIPT_PATH, script)
  await chmod(script, 0o755)
  report(
    `Building Debian ${DEBIAN_SUITE} with ${DEBIAN_PACKAGES.length} packages and what they need`
  )
  await debootstrap(stage, script, files.rootfs, report)
  await packMetadata(join(stage, 'metadata'), files.metadata, recipe)
}

async function debootstrap(
  stage: string,
  script: string,
  target: string,
  report: LineReporter
): Promise<void> {
  const mirror = chooseDebianMirror(await readAptSources(), readOsRelease())
  await runForOutput(
    'mmdebstrap',
    [
      '--variant=apt',
      '--mode=root',
      `--keyring=${DEBIAN_KEYRING}`,
      `--include=${DEBIAN_PACKAGES.join(',')}`,
      '--dpkgopt=path-exclude=/usr/share/man/*',
      '--dpkgopt=path-exclude=/usr/share/doc/*',
      '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      '--dpkgopt=path-exclude=/usr/share/locale/*',
      `--customize-hook=${script}`,
      DEBIAN_SUITE,
      target,
      `deb ${mirror.archive} ${DEBIAN_SUITE} main`,
      `deb ${mirror.archive} ${DEBIAN_SUITE}-updates main`,
      `deb ${mirror.security} ${DEBIAN_SUITE}-security main`,
    ],
    {
      env: {
        ...process.env,
        ...CUSTOMIZE_ENV,
        BERTH_STAGE: stage,
        TMPDIR: stage,
        LC_ALL: 'C.UTF-8',
      },
      timeout: 1800,
      onLine: (line) => /^(I:|E:)/.test(line) && report(`  ${line}`),
    }
  )
}

/** Installs Node, npm and PM2 into a folder with the layout of /usr/local. */
async function fetchNode(prefix: string): Promise<void> {
  await mkdir(prefix, { recursive: true })
  await runForOutput('npm', [
    'install',
    '--global',
    `--prefix=${prefix}`,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `node-linux-${arch()}@${NODE_VERSION}`,
    ...NPM_PACKAGES,
  ])
  // Makes the path the same on every architecture, because builds need the headers there.
  await rename(
    join(prefix, `lib/node_modules/node-linux-${arch()}`),
    join(prefix, 'lib/node_modules/node')
  )
  await runForOutput('ln', ['-sfn', '../lib/node_modules/node/bin/node', join(prefix, 'bin/node')])
}

async function writeOverlay(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(OVERLAY_FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

async function packMetadata(folder: string, target: string, recipe: string): Promise<void> {
  await mkdir(join(folder, 'templates'), { recursive: true })
  await writeFile(
    join(folder, 'metadata.yaml'),
    metadataYaml(ARCHITECTURES[arch()] ?? arch(), new Date(), recipe)
  )
  await writeFile(join(folder, 'templates/hostname.tpl'), HOSTNAME_TEMPLATE)
  await writeFile(join(folder, 'templates/hosts.tpl'), HOSTS_TEMPLATE)
  await runForOutput('tar', ['-cf', target, '-C', folder, 'metadata.yaml', 'templates'])
}
