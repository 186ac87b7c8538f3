import { appNotServing } from '#projects/errors'
import { npmStartArgv } from '#projects/pm2/package_managers'
import { readScript } from '#packages/machine/read_script'

/** Prints facts about a built app, the input of `planStart`. Arguments: `BUILD_OUTPUTS`. */
export const DESCRIBE_BUILD_SCRIPT = readScript(import.meta, 'describe_build.sh')

/** Server programs that build tools write, for apps without a start script. */
const SERVERS: [file: string, argv: string[]][] = [
  // Nuxt, and other programs that use Nitro
  ['.output/server/index.mjs', ['./.output/server/index.mjs']],
  // Next with `output: 'standalone'`
  ['.next/standalone/server.js', ['./.next/standalone/server.js']],
  ['.next/BUILD_ID', ['npm', 'exec', '--', 'next', 'start']],
  // SvelteKit with adapter-node
  ['build/handler.js', ['./build/index.js']],
  // Astro with @astrojs/node
  ['dist/server/entry.mjs', ['./dist/server/entry.mjs']],
  // Nest
  ['dist/main.js', ['./dist/main.js']],
  ['server.js', npmStartArgv],
]

/** Output folders of static sites. An app with one of these, but without a server, needs no process. */
const STATIC_FOLDERS = ['.output/public', '.vitepress/dist', 'dist', 'build', 'out']

export const BUILD_OUTPUTS = [
  ...SERVERS.map(([file]) => file),
  ...STATIC_FOLDERS.map((folder) => `${folder}/index.html`),
]

/**
 * Chooses the command that starts a built app: its start script, otherwise the server program that its build wrote.
 * @param facts output of `describe_build.sh`
 * @throws 502 with advice if the app has neither
 */
export function planStart(facts: string): string[] {
  const lines = facts.split('\n').map((line) => line.trim())
  if (lines.includes('start')) return npmStartArgv
  const server = SERVERS.find(([file]) => lines.includes(`file ${file}`))
  if (server) return server[1]
  const folder = STATIC_FOLDERS.find((each) => lines.includes(`file ${each}/index.html`))
  if (folder) {
    throw appNotServing(
      `The build wrote a static site into ${folder}, and package.json has no start script. Set up a virtual host of the type Static with the entry point ${folder}. The site then needs no process.`
    )
  }
  throw appNotServing(
    'package.json has no start script, and the build wrote no server. Add a start script, for example "start": "node index.js".'
  )
}
