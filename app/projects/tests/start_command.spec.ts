import { BUILD_OUTPUTS, DESCRIBE_BUILD_SCRIPT, planStart } from '#projects/pm2/start_command'
import { test } from '@japa/runner'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const scripts = (text: object) => JSON.stringify({ scripts: text })

/** Columns: title, files after the build, and the start command or a part of the error. */
const apps: [string, Record<string, string>, string | RegExp][] = [
  ['Express with a start script', { 'package.json': scripts({ start: 'node app' }) }, 'npm start'],
  [
    'a start script before the server of the build',
    { 'package.json': scripts({ start: 'next start' }), '.next/BUILD_ID': 'x' },
    'npm start',
  ],
  [
    'Nuxt',
    { 'package.json': scripts({ build: 'nuxt build' }), '.output/server/index.mjs': '' },
    './.output/server/index.mjs',
  ],
  [
    'Next, standalone',
    { 'package.json': scripts({}), '.next/standalone/server.js': '', '.next/BUILD_ID': 'x' },
    './.next/standalone/server.js',
  ],
  ['Next', { 'package.json': '{}', '.next/BUILD_ID': 'x' }, 'npm exec -- next start'],
  [
    'SvelteKit with adapter-node',
    {
      'package.json': scripts({ preview: 'vite preview' }),
      'build/index.js': '',
      'build/handler.js': '',
    },
    './build/index.js',
  ],
  [
    'Astro with a server',
    { 'package.json': '{}', 'dist/server/entry.mjs': '' },
    './dist/server/entry.mjs',
  ],
  ['Nest', { 'package.json': '{}', 'dist/main.js': '' }, './dist/main.js'],
  ['npm’s default', { 'package.json': '{}', 'server.js': '' }, 'npm start'],
  [
    'Vite',
    { 'package.json': '{}', 'dist/index.html': '' },
    /static site into dist,.*entry point dist/,
  ],
  [
    'SvelteKit with adapter-static',
    { 'package.json': '{}', 'build/index.html': '' },
    /into build,/,
  ],
  ['Next with output: export', { 'package.json': '{}', 'out/index.html': '' }, /into out,/],
  ['Nuxt, generated', { 'package.json': '{}', '.output/public/index.html': '' }, /.output\/public/],
  ['VitePress', { 'package.json': '{}', '.vitepress/dist/index.html': '' }, /.vitepress\/dist/],
  ['no server', { 'package.json': scripts({ build: 'tsc' }) }, /Add a start script/],
  ['a damaged package.json', { 'package.json': '{' }, /Add a start script/],
]

test.group('Commands that start built apps', (group) => {
  let folder: string

  group.each.setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-start-'))
    return () => rmSync(folder, { recursive: true })
  })

  test('{0}')
    .with(apps)
    .run(({ assert }, [, files, expected]) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      const argv = ['-c', DESCRIBE_BUILD_SCRIPT, 'berth-start', ...BUILD_OUTPUTS]
      const facts = execFileSync('sh', argv, { cwd: folder, encoding: 'utf8' })
      if (typeof expected === 'string') assert.equal(planStart(facts).join(' '), expected)
      else assert.throws(() => planStart(facts), expected)
    })
})
